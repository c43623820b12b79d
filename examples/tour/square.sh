#!/bin/sh
#VSUB -J square --cpus 500m
#VSUB --array 1-3
echo "$VSUB_ARRAY_TASK_ID squared is $((VSUB_ARRAY_TASK_ID * VSUB_ARRAY_TASK_ID))"
