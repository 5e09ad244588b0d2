package websearch

import (
	"strings"
	"sync"
)

// confusables has a line for each letter and digit, followed by look-alikes from other alphabets.
// They are from Unicode's table of confusables (UTS 39), without right-to-left letters and letters
// that NFKD replaces.
const confusables = `
2ƧƻϨᒿꙄꛯꝚ
3ƷȜЗҘӠⳌꝪꞫ
4Ꮞ
5Ƽ
6бᏮⳒ
8Ȣȣ৪੪
9৭੧୨൭ⳊꝮ
AΑАᎪᗅꓮ
BΒВᏴᗷꓐꞴ
CСҪᏟⲤꓚ
DÐĐƉᎠᗞᗪꓓ
EɆΕЕᎬⴹꓰ
FƑϜᖴꓝꞘ
GǤԌᏀᏳꓖ
HĦΗНҢӇӉᎻᕼⱧⲎꓧ
IƖƗΙІӀⲒ
JɈͿЈᎫᒍꓙꞲ
KΚКҚҞᏦᛕⱩⲔꓗꝀ
LŁᏞᒪⳐꓡ
MΜϺМӍᎷᗰᛖⲘꓟ
NƝΝⲚꓠ
OØƟǾΘΟθОѲӨՕ০ଠ୦ዐᎾᏫⲞⴱⵁⵔ〇ꓳꝊ
PΡРᏢᑭⲢꓑ
Qⵕ
RƦᎡᏒᖇꓣ
SЅՏᏕᏚꓢ
TŦƮȾΤТҬᎢⲦꓔ
UɄՍሀᏌᑌꓴ
VѴ٧۷Ꮩᐯⴸꓦꛟ
WԜᎳᏔꓪ
XΧХҲᚷⲬⵝꓫꞳ
YɎΥУҮҰᎩᎽⲨꓬ
ZƵȤΖᏃꓜ
aɑαа
bƀƂƃƄɓБЬѢѣҌҍᏏᑲᑳᖯ
cȼсҫᴄⲥꮯ
dđƌɖɗԁᏧᑯꓒ
eɇеҽҿꬲ
fƒքᵮẝꞙꬵ
gƍǥɠɡցᶃ
hħɦћһհᏂᏲꚕ
iıɨɩɪιіӏᎥᵻᵼꙇꭵ
jɉϳј
kƙ
lłƚǀɫɭ١۱ᛁⵏꓲ
nƞɳηոռᵰ
oøɵοσоѳөօ٥۵०੦૦௦౦೦ഠ൦๐໐ဝ၀ჿᴏᴑⲟꝋꬽꬾꭴꮎꮻ
pƥρрᵽⲣ
qʠԛգզ
rɍɼɽгғᴦᵲⲅꭇꭈꮁ
sƽʂѕᵴꜱꮪ
tŧƭᵵ
uʋυսᴜᵾꞟꭎꭒꮜ
vνѵᴠꮩ
wɯѡѽԝաᴡꝡꮃ
xхᕁᕽ
yƴɏɣʏγуүұყᶌỿꭚ
zƶȥʐᴢᵶꮓ
`

// lookAlikes maps each look-alike to its ASCII letter or digit.
var lookAlikes = sync.OnceValue(func() map[rune]rune {
	usual := map[rune]rune{}
	for line := range strings.Lines(confusables) {
		letters := []rune(strings.TrimSpace(line))
		for _, other := range letters[min(1, len(letters)):] {
			usual[other] = letters[0]
		}
	}
	return usual
})
