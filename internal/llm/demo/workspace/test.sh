#!/bin/sh
# test.sh - checks till.sh against what the README promises.

folder=$(dirname "$0")
checks=0
failed=0

# check WANT ORDER... compares the price of an order with WANT.
check() {
	want=$1
	shift
	got=$(sh "$folder/till.sh" "$@" 2>&1)
	checks=$((checks + 1))
	if [ "$got" = "$want" ]; then
		echo "ok    $*: $got"
	else
		failed=$((failed + 1))
		echo "FAIL  $*: $got, but it should be $want"
	fi
}

check 5.40 apple 1
check 7.40 bread 1
check 10.00 cheese 2
check 12.50 cheese 2 bread 1
check 15.50 honey 2
check "till.sh: there is no price for gold" gold 1

if [ "$failed" -gt 0 ]; then
	echo "$failed of $checks checks failed"
	exit 1
fi
echo "all $checks checks passed"
