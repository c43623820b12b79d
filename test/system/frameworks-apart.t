#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# frameworks-apart.t - frameworks.t, with scheduler and controllers as processes of their own over HTTPS.
HOW=apart
export HOW
. test/system/frameworks.t
