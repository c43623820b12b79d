#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jobs.t - test/system/jobs.t at a cluster that runs already.
HOW=cluster
export HOW
. test/system/jobs.t
