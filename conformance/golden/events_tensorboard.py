#!/usr/bin/env python3
"""Writes tests/train/tensorboard.inc: an event file as TensorBoard's own writer makes it, read back by its own reader.

Run by hand, with tensorboard: python3 conformance/golden/events_tensorboard.py [folder], default tests/train.
"""
import os
import sys
import tempfile

from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

NOW = 1700000000.5
EPOCHS = [(10, {"loss": 0.5, "val_accuracy": 0.25, "lr": 0.01}), (300, {"loss": 0.125, "val_accuracy": float("inf"), "lr": 0.001})]

path = os.path.join(tempfile.mkdtemp(), "events.out.tfevents.1700000000.vinea")
with open(path, "wb") as f:
    writer = RecordWriter(f)
    writer.write(Event(wall_time=NOW, file_version="brain.Event:2").SerializeToString())
    for step, scores in EPOCHS:
        for name, value in scores.items():
            writer.write(Event(wall_time=NOW, step=step, summary=Summary(value=[Summary.Value(tag=name, simple_value=value)])).SerializeToString())
    writer.flush()
assert len(list(EventFileLoader(path).Load())) == 7
data = open(path, "rb").read()
rows = [", ".join(f"0x{b:02x}" for b in data[k:k + 16]) for k in range(0, len(data), 16)]

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "train")
with open(os.path.join(folder, "tensorboard.inc"), "w") as f:
    f.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* An event file by TensorBoard. Printed by conformance/golden/events_tensorboard.py. */\n")
    f.write(f"static const unsigned char tensorboard_file[{len(data)}] = {{\n    " + ",\n    ".join(rows) + "};\n")
