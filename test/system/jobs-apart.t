#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jobs-apart.t - jobs.t, with scheduler and controllers as processes of their own over HTTPS.
HOW=apart
export HOW
. test/system/jobs.t
