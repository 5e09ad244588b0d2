#!/bin/sh
# till.sh - what an order costs, shipping included.
#
#   sh till.sh ITEM COUNT [ITEM COUNT ...]

# Carriers: the name on the parcel, the days of delivery and the phone number, by country.
carrier() {
	case $1 in
	AT) echo 'Post Austria, 2 days, phone +30 200 1000' ;;
	BE) echo 'Parcel One Belgium, 3 days, phone +31 207 1113' ;;
	BG) echo 'Nordic Express Bulgaria, 4 days, phone +32 214 1226' ;;
	HR) echo 'Alpine Cargo Croatia, 5 days, phone +33 221 1339' ;;
	CY) echo 'River Line Cyprus, 2 days, phone +34 228 1452' ;;
	CZ) echo 'Post Czechia, 3 days, phone +35 235 1565' ;;
	DK) echo 'Parcel One Denmark, 4 days, phone +36 242 1678' ;;
	EE) echo 'Nordic Express Estonia, 5 days, phone +37 249 1791' ;;
	FI) echo 'Alpine Cargo Finland, 2 days, phone +38 256 1904' ;;
	FR) echo 'River Line France, 3 days, phone +39 263 2017' ;;
	DE) echo 'Post Germany, 4 days, phone +40 270 2130' ;;
	GR) echo 'Parcel One Greece, 5 days, phone +41 277 2243' ;;
	HU) echo 'Nordic Express Hungary, 2 days, phone +42 284 2356' ;;
	IE) echo 'Alpine Cargo Ireland, 3 days, phone +43 291 2469' ;;
	IT) echo 'River Line Italy, 4 days, phone +44 298 2582' ;;
	LV) echo 'Post Latvia, 5 days, phone +45 305 2695' ;;
	LT) echo 'Parcel One Lithuania, 2 days, phone +46 312 2808' ;;
	LU) echo 'Nordic Express Luxembourg, 3 days, phone +47 319 2921' ;;
	MT) echo 'Alpine Cargo Malta, 4 days, phone +48 326 3034' ;;
	NL) echo 'River Line Netherlands, 5 days, phone +49 333 3147' ;;
	PL) echo 'Post Poland, 2 days, phone +50 340 3260' ;;
	PT) echo 'Parcel One Portugal, 3 days, phone +51 347 3373' ;;
	RO) echo 'Nordic Express Romania, 4 days, phone +52 354 3486' ;;
	SK) echo 'Alpine Cargo Slovakia, 5 days, phone +53 361 3599' ;;
	SI) echo 'River Line Slovenia, 2 days, phone +54 368 3712' ;;
	ES) echo 'Post Spain, 3 days, phone +55 375 3825' ;;
	SE) echo 'Parcel One Sweden, 4 days, phone +56 382 3938' ;;
	CH) echo 'Nordic Express Switzerland, 5 days, phone +57 389 4051' ;;
	NO) echo 'Alpine Cargo Norway, 2 days, phone +58 396 4164' ;;
	IS) echo 'River Line Iceland, 3 days, phone +59 403 4277' ;;
	GB) echo 'Post Britain, 4 days, phone +60 410 4390' ;;
	UA) echo 'Parcel One Ukraine, 5 days, phone +61 417 4503' ;;
	RS) echo 'Nordic Express Serbia, 2 days, phone +62 424 4616' ;;
	AL) echo 'Alpine Cargo Albania, 3 days, phone +63 431 4729' ;;
	MK) echo 'River Line Macedonia, 4 days, phone +64 438 4842' ;;
	ME) echo 'Post Montenegro, 5 days, phone +65 445 4955' ;;
	MD) echo 'Parcel One Moldova, 2 days, phone +66 452 5068' ;;
	GE) echo 'Nordic Express Georgia, 3 days, phone +67 459 5181' ;;
	AM) echo 'Alpine Cargo Armenia, 4 days, phone +68 466 5294' ;;
	TR) echo 'River Line Turkey, 5 days, phone +69 473 5407' ;;
	*) echo 'no carrier for this country' ;;
	esac
}

# Return addresses: printed on the parcel, by country.
returns() {
	case $1 in
	AT) echo 'Till Returns Austria, Warehouse Street 3, 10000 Central City, Austria' ;;
	BE) echo 'Till Returns Belgium, Warehouse Street 4, 10457 Central City, Belgium' ;;
	BG) echo 'Till Returns Bulgaria, Warehouse Street 5, 10914 Central City, Bulgaria' ;;
	HR) echo 'Till Returns Croatia, Warehouse Street 6, 11371 Central City, Croatia' ;;
	CY) echo 'Till Returns Cyprus, Warehouse Street 7, 11828 Central City, Cyprus' ;;
	CZ) echo 'Till Returns Czechia, Warehouse Street 8, 12285 Central City, Czechia' ;;
	DK) echo 'Till Returns Denmark, Warehouse Street 9, 12742 Central City, Denmark' ;;
	EE) echo 'Till Returns Estonia, Warehouse Street 10, 13199 Central City, Estonia' ;;
	FI) echo 'Till Returns Finland, Warehouse Street 11, 13656 Central City, Finland' ;;
	FR) echo 'Till Returns France, Warehouse Street 12, 14113 Central City, France' ;;
	DE) echo 'Till Returns Germany, Warehouse Street 13, 14570 Central City, Germany' ;;
	GR) echo 'Till Returns Greece, Warehouse Street 14, 15027 Central City, Greece' ;;
	HU) echo 'Till Returns Hungary, Warehouse Street 15, 15484 Central City, Hungary' ;;
	IE) echo 'Till Returns Ireland, Warehouse Street 16, 15941 Central City, Ireland' ;;
	IT) echo 'Till Returns Italy, Warehouse Street 17, 16398 Central City, Italy' ;;
	LV) echo 'Till Returns Latvia, Warehouse Street 18, 16855 Central City, Latvia' ;;
	LT) echo 'Till Returns Lithuania, Warehouse Street 19, 17312 Central City, Lithuania' ;;
	LU) echo 'Till Returns Luxembourg, Warehouse Street 20, 17769 Central City, Luxembourg' ;;
	MT) echo 'Till Returns Malta, Warehouse Street 21, 18226 Central City, Malta' ;;
	NL) echo 'Till Returns Netherlands, Warehouse Street 22, 18683 Central City, Netherlands' ;;
	PL) echo 'Till Returns Poland, Warehouse Street 23, 19140 Central City, Poland' ;;
	PT) echo 'Till Returns Portugal, Warehouse Street 24, 19597 Central City, Portugal' ;;
	RO) echo 'Till Returns Romania, Warehouse Street 25, 20054 Central City, Romania' ;;
	SK) echo 'Till Returns Slovakia, Warehouse Street 26, 20511 Central City, Slovakia' ;;
	SI) echo 'Till Returns Slovenia, Warehouse Street 27, 20968 Central City, Slovenia' ;;
	ES) echo 'Till Returns Spain, Warehouse Street 28, 21425 Central City, Spain' ;;
	SE) echo 'Till Returns Sweden, Warehouse Street 29, 21882 Central City, Sweden' ;;
	CH) echo 'Till Returns Switzerland, Warehouse Street 30, 22339 Central City, Switzerland' ;;
	NO) echo 'Till Returns Norway, Warehouse Street 31, 22796 Central City, Norway' ;;
	IS) echo 'Till Returns Iceland, Warehouse Street 32, 23253 Central City, Iceland' ;;
	GB) echo 'Till Returns Britain, Warehouse Street 33, 23710 Central City, Britain' ;;
	UA) echo 'Till Returns Ukraine, Warehouse Street 34, 24167 Central City, Ukraine' ;;
	RS) echo 'Till Returns Serbia, Warehouse Street 35, 24624 Central City, Serbia' ;;
	AL) echo 'Till Returns Albania, Warehouse Street 36, 25081 Central City, Albania' ;;
	MK) echo 'Till Returns Macedonia, Warehouse Street 37, 25538 Central City, Macedonia' ;;
	ME) echo 'Till Returns Montenegro, Warehouse Street 38, 25995 Central City, Montenegro' ;;
	MD) echo 'Till Returns Moldova, Warehouse Street 39, 26452 Central City, Moldova' ;;
	GE) echo 'Till Returns Georgia, Warehouse Street 40, 26909 Central City, Georgia' ;;
	AM) echo 'Till Returns Armenia, Warehouse Street 41, 27366 Central City, Armenia' ;;
	TR) echo 'Till Returns Turkey, Warehouse Street 42, 27823 Central City, Turkey' ;;
	*) echo 'send it back to the shop' ;;
	esac
}

# Customs: what to write on the form, by country.
customs() {
	case $1 in
	AT) echo 'goods for Austria, code 4901, office Austria 1, form A-100' ;;
	BE) echo 'goods for Belgium, code 4938, office Belgium 2, form B-101' ;;
	BG) echo 'goods for Bulgaria, code 4975, office Bulgaria 3, form C-102' ;;
	HR) echo 'goods for Croatia, code 5012, office Croatia 4, form A-103' ;;
	CY) echo 'goods for Cyprus, code 5049, office Cyprus 5, form B-104' ;;
	CZ) echo 'goods for Czechia, code 5086, office Czechia 6, form C-105' ;;
	DK) echo 'goods for Denmark, code 5123, office Denmark 7, form A-106' ;;
	EE) echo 'goods for Estonia, code 5160, office Estonia 8, form B-107' ;;
	FI) echo 'goods for Finland, code 5197, office Finland 9, form C-108' ;;
	FR) echo 'goods for France, code 5234, office France 1, form A-109' ;;
	DE) echo 'goods for Germany, code 5271, office Germany 2, form B-110' ;;
	GR) echo 'goods for Greece, code 5308, office Greece 3, form C-111' ;;
	HU) echo 'goods for Hungary, code 5345, office Hungary 4, form A-112' ;;
	IE) echo 'goods for Ireland, code 5382, office Ireland 5, form B-113' ;;
	IT) echo 'goods for Italy, code 5419, office Italy 6, form C-114' ;;
	LV) echo 'goods for Latvia, code 5456, office Latvia 7, form A-115' ;;
	LT) echo 'goods for Lithuania, code 5493, office Lithuania 8, form B-116' ;;
	LU) echo 'goods for Luxembourg, code 5530, office Luxembourg 9, form C-117' ;;
	MT) echo 'goods for Malta, code 5567, office Malta 1, form A-118' ;;
	NL) echo 'goods for Netherlands, code 5604, office Netherlands 2, form B-119' ;;
	PL) echo 'goods for Poland, code 5641, office Poland 3, form C-120' ;;
	PT) echo 'goods for Portugal, code 5678, office Portugal 4, form A-121' ;;
	RO) echo 'goods for Romania, code 5715, office Romania 5, form B-122' ;;
	SK) echo 'goods for Slovakia, code 5752, office Slovakia 6, form C-123' ;;
	SI) echo 'goods for Slovenia, code 5789, office Slovenia 7, form A-124' ;;
	ES) echo 'goods for Spain, code 5826, office Spain 8, form B-125' ;;
	SE) echo 'goods for Sweden, code 5863, office Sweden 9, form C-126' ;;
	CH) echo 'goods for Switzerland, code 5900, office Switzerland 1, form A-127' ;;
	NO) echo 'goods for Norway, code 5937, office Norway 2, form B-128' ;;
	IS) echo 'goods for Iceland, code 5974, office Iceland 3, form C-129' ;;
	GB) echo 'goods for Britain, code 6011, office Britain 4, form A-130' ;;
	UA) echo 'goods for Ukraine, code 6048, office Ukraine 5, form B-131' ;;
	RS) echo 'goods for Serbia, code 6085, office Serbia 6, form C-132' ;;
	AL) echo 'goods for Albania, code 6122, office Albania 7, form A-133' ;;
	MK) echo 'goods for Macedonia, code 6159, office Macedonia 8, form B-134' ;;
	ME) echo 'goods for Montenegro, code 6196, office Montenegro 9, form C-135' ;;
	MD) echo 'goods for Moldova, code 6233, office Moldova 1, form A-136' ;;
	GE) echo 'goods for Georgia, code 6270, office Georgia 2, form B-137' ;;
	AM) echo 'goods for Armenia, code 6307, office Armenia 3, form C-138' ;;
	TR) echo 'goods for Turkey, code 6344, office Turkey 4, form A-139' ;;
	*) echo 'ask the customs office' ;;
	esac
}

# Holidays on which no parcel is delivered, by country.
holidays() {
	case $1 in
	AT) echo 'Austria: 1 January, 1 May, 1 August, 25 December' ;;
	BE) echo 'Belgium: 1 January, 2 May, 4 August, 25 December' ;;
	BG) echo 'Bulgaria: 1 January, 3 May, 7 August, 25 December' ;;
	HR) echo 'Croatia: 1 January, 4 May, 10 August, 25 December' ;;
	CY) echo 'Cyprus: 1 January, 5 May, 13 August, 25 December' ;;
	CZ) echo 'Czechia: 1 January, 6 May, 16 August, 25 December' ;;
	DK) echo 'Denmark: 1 January, 7 May, 19 August, 25 December' ;;
	EE) echo 'Estonia: 1 January, 8 May, 22 August, 25 December' ;;
	FI) echo 'Finland: 1 January, 9 May, 25 August, 25 December' ;;
	FR) echo 'France: 1 January, 10 May, 28 August, 25 December' ;;
	DE) echo 'Germany: 1 January, 11 May, 3 August, 25 December' ;;
	GR) echo 'Greece: 1 January, 12 May, 6 August, 25 December' ;;
	HU) echo 'Hungary: 1 January, 13 May, 9 August, 25 December' ;;
	IE) echo 'Ireland: 1 January, 14 May, 12 August, 25 December' ;;
	IT) echo 'Italy: 1 January, 15 May, 15 August, 25 December' ;;
	LV) echo 'Latvia: 1 January, 16 May, 18 August, 25 December' ;;
	LT) echo 'Lithuania: 1 January, 17 May, 21 August, 25 December' ;;
	LU) echo 'Luxembourg: 1 January, 18 May, 24 August, 25 December' ;;
	MT) echo 'Malta: 1 January, 19 May, 27 August, 25 December' ;;
	NL) echo 'Netherlands: 1 January, 20 May, 2 August, 25 December' ;;
	PL) echo 'Poland: 1 January, 21 May, 5 August, 25 December' ;;
	PT) echo 'Portugal: 1 January, 22 May, 8 August, 25 December' ;;
	RO) echo 'Romania: 1 January, 23 May, 11 August, 25 December' ;;
	SK) echo 'Slovakia: 1 January, 24 May, 14 August, 25 December' ;;
	SI) echo 'Slovenia: 1 January, 25 May, 17 August, 25 December' ;;
	ES) echo 'Spain: 1 January, 26 May, 20 August, 25 December' ;;
	SE) echo 'Sweden: 1 January, 27 May, 23 August, 25 December' ;;
	CH) echo 'Switzerland: 1 January, 28 May, 26 August, 25 December' ;;
	NO) echo 'Norway: 1 January, 1 May, 1 August, 25 December' ;;
	IS) echo 'Iceland: 1 January, 2 May, 4 August, 25 December' ;;
	GB) echo 'Britain: 1 January, 3 May, 7 August, 25 December' ;;
	UA) echo 'Ukraine: 1 January, 4 May, 10 August, 25 December' ;;
	RS) echo 'Serbia: 1 January, 5 May, 13 August, 25 December' ;;
	AL) echo 'Albania: 1 January, 6 May, 16 August, 25 December' ;;
	MK) echo 'Macedonia: 1 January, 7 May, 19 August, 25 December' ;;
	ME) echo 'Montenegro: 1 January, 8 May, 22 August, 25 December' ;;
	MD) echo 'Moldova: 1 January, 9 May, 25 August, 25 December' ;;
	GE) echo 'Georgia: 1 January, 10 May, 28 August, 25 December' ;;
	AM) echo 'Armenia: 1 January, 11 May, 3 August, 25 December' ;;
	TR) echo 'Turkey: 1 January, 12 May, 6 August, 25 December' ;;
	*) echo '1 January' ;;
	esac
}

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
