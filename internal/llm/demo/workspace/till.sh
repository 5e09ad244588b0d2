#!/bin/sh
# till.sh - what an order costs, shipping included.
#
#   sh till.sh ITEM COUNT [ITEM COUNT ...]

folder=$(dirname "$0")

# price ITEM prints what one piece costs.
price() {
	while read -r item amount; do
		if [ "$item" = "$1" ]; then
			echo "$amount"
			return 0
		fi
	done < "$folder/prices.txt"
	echo "till.sh: there is no price for $1" >&2
	return 1
}

# receipt AMOUNT prints an amount as it stands on a receipt.
receipt() {
	printf '%d.%02d\n' $(($1 / 100)) $(($1 % 100))
}

if [ $# -eq 0 ] || [ $(($# % 2)) -ne 0 ]; then
	echo "usage: sh till.sh ITEM COUNT [ITEM COUNT ...]" >&2
	exit 2
fi

sum=0
while [ $# -gt 0 ]; do
	one=$(price "$1") || exit 1
	sum=$((sum + one * $2))
	shift 2
done

# Large orders are shipped for free.
shipping=490
if [ "$sum" -gt 1000 ]; then
	shipping=0
fi

receipt $((sum + shipping))
