"""ranks.py BUILD [SECONDS]: a training step on two ranks of one thread beside one process of two threads, and beside torch's
DistributedDataParallel with gloo in two processes of one thread, for `make bench`. Runs alternate, five of each; the median and, for machines that others use too, the best are printed. What is
not installed is left out.
"""
import os
import shutil
import statistics
import subprocess
import sys

PEER = r"""
import os, statistics, sys, time
import torch, torch.distributed as dist, torch.nn as nn
case, seconds = sys.argv[1], float(sys.argv[2])
torch.set_num_threads(1)
dist.init_process_group("gloo")
cnn, rows = case == "cnn", 64 if case == "cnn" else 128
torch.manual_seed(1)
if cnn:
    net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(11 * 11 * 32, 10))
    x = torch.randn(rows // 2, 1, 28, 28)
else:
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))
    x = torch.randn(rows // 2, 784)
y = torch.randint(0, 10, (rows // 2,))
net = nn.parallel.DistributedDataParallel(net)
adam = torch.optim.Adam(net.parameters(), 1e-3, fused=True)
loss_of = nn.CrossEntropyLoss()
taken, begun, more = [], time.monotonic(), True
while more:
    from_ = time.monotonic()
    adam.zero_grad()
    loss_of(net(x), y).backward()
    adam.step()
    taken.append(time.monotonic() - from_)
    if len(taken) % 10 == 0:
        left = torch.tensor([float(time.monotonic() - begun < seconds)])
        dist.all_reduce(left, dist.ReduceOp.MIN)
        more = left.item() > 0
if dist.get_rank() == 0:
    print("%.1f" % (1e6 * statistics.median(taken[5:])))
"""


def ours(build, mpi, ranks, case, seconds):
    """Microseconds a step of Vinea."""
    here = os.path.dirname(os.path.abspath(__file__))
    command = [os.path.join(build, "bench", "steps"), case, str(seconds)]
    if ranks > 1:
        command = ["sh", os.path.join(here, "..", "tests", "with_ranks.sh"), mpi, str(ranks)] + command
    env = dict(os.environ, VINEA_GROUP_PATH=os.path.join(build, "groups"), VINEA_THREADS=str(2 // ranks))
    return float(subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[0])


def peer(case, seconds):
    """Microseconds a step of torch; None: it is not there."""
    def start(rank):
        env = dict(os.environ, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
        return subprocess.Popen([sys.executable, "-c", PEER, case, str(seconds)], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    first, second = start(0), start(1)
    text = first.communicate()[0]
    second.wait()
    return float(text.split()[0]) if first.returncode == 0 and text.split() else None


def main():
    build, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 3
    mpis = [m for m in ("openmpi", "mpich") if shutil.which("mpirun." + m) and os.path.exists(os.path.join(build, "groups", m + ".so"))]
    if not mpis:
        return print("ranks: no MPI is installed")
    for case in ("mlp", "cnn"):
        sides = {"one process, two threads": lambda: ours(build, None, 1, case, seconds)}
        for mpi in mpis:
            sides["two ranks, " + mpi] = lambda mpi=mpi: ours(build, mpi, 2, case, seconds)
        sides["torch DDP, gloo"] = lambda: peer(case, seconds)
        times = {name: [] for name in sides}
        for _ in range(5):
            for name, run in sides.items():
                times[name].append(run())
        one = times["one process, two threads"]
        print("%s training step with Adam" % case)
        for name, values in times.items():
            if None in values:
                print("  %-26s not installed" % name)
                continue
            middle, best = statistics.median(values), min(values)
            print("  %-26s %8.0f us, best %8.0f us  %.2f of one process, best %.2f" % (name, middle, best, middle / statistics.median(one), best / min(one)))


main()
