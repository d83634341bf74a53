# SPDX-License-Identifier: Apache-2.0
"""What einops needs to know of Vinea's arrays. Imported with einops (_companions.py); einops finds the class itself."""
from einops._backends import AbstractBackend

import vinea as vn


class VineaBackend(AbstractBackend):
    framework_name = "vinea"

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, vn.Array)

    def from_numpy(self, x):
        return vn.asarray(x)

    def to_numpy(self, x):
        return vn.to_numpy(x)

    def arange(self, start, stop):
        return vn.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors):
        return vn.stack(tensors)

    def add_axis(self, x, new_position):
        return vn.expand_dims(x, axis=new_position)

    def tile(self, x, repeats):
        return vn.tile(x, repeats)

    def concat(self, tensors, axis):
        return vn.concat(tensors, axis=axis)

    def is_float_type(self, x):
        return vn.isdtype(x.dtype, ("real floating", "complex floating"))

    def einsum(self, pattern, *x):
        return vn.einsum(pattern, *x)
