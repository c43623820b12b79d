# SPDX-License-Identifier: Apache-2.0
# train.py - PyTorch, data parallel over gloo: every rank has its own part of the data of y = 3x + 2, and
# all of them learn one line. MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE come from the plugin pytorch.
import datetime

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=60))
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.manual_seed(7)
model = DistributedDataParallel(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

generator = torch.Generator().manual_seed(rank)
x = torch.rand(256, 1, generator=generator) * 2 - 1
y = 3 * x + 2
for _ in range(200):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()

weight, bias = (parameter.detach().clone() for parameter in model.parameters())
for value in (weight, bias):  # the same everywhere: the mean is what each one has
    mean = value.clone()
    dist.all_reduce(mean)
    assert torch.allclose(mean / ranks, value), 'ranks have learned different lines'
print(f'rank {rank} of {ranks}: y = {weight.item():.2f}x + {bias.item():.2f}', flush=True)
dist.destroy_process_group()
