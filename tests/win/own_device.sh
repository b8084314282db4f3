#!/bin/sh
# Runs one rank of a job that sees one device, its own: the first rank the first one, and so on.
exec env ORIEL_TEST_DEVICES=1 ORIEL_TEST_FIRST_DEVICE="$ORIEL_RANK" "$@"
