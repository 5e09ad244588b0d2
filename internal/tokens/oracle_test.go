package tokens

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	tiktokenloader "github.com/pkoukk/tiktoken-go-loader"
)

var encodings = []Encoding{O200K, CL100K}

// oracle returns tiktoken-go for an encoding. Its time grows with the square of the longest run, so
// it is only used for short texts.
var oracle = func() func(Encoding) *tiktoken.Tiktoken {
	load := func(enc Encoding) func() *tiktoken.Tiktoken {
		return sync.OnceValue(func() *tiktoken.Tiktoken {
			tiktoken.SetBpeLoader(tiktokenloader.NewOfflineLoader())
			encoder, err := tiktoken.GetEncoding(string(enc))
			if err != nil {
				panic(err)
			}
			return encoder
		})
	}
	o200k, cl100k := load(O200K), load(CL100K)
	return func(enc Encoding) *tiktoken.Tiktoken {
		if enc == CL100K {
			return cl100k()
		}
		return o200k()
	}
}()

// seeds are texts that exercise each alternative of the patterns, each character class, and the
// order of merges.
var seeds = []string{
	"", "a", " ", "\n", "'", "Hello, world!",
	"I'll we've THEY'RE it's 'tis y'all don'T 'S'll'VE 'ſ l'Lama r'e 'r 'v 'l 'lx",
	"getHTTPResponse HTTPServer XMLHttpRequest iOS McDonald ABCdef ABC abC éÉÈe ÀÉÎ",
	"1 12 123 1234 1234567890 ½²³ ٠١٢٣٤ Ⅷ 3.14159e-10 0xDEADBEEF",
	"a  b   c\td \t e\n\n\n f \r\n \r\n  g\v\f\u0085\u00a0\u2003x \u3000",
	"   \n   x", "   \n   ", "\n \n x", "x   ", "\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n",
	"// path/to/file.go\n///\n//\r\n/ ///a", " !!! ...\n\n?!\r\r /* */ }\n)", "- [ ] a\n- [x] b\n",
	"<|endoftext|> <|fim_prefix|><|endofprompt|>x<|im_start|>",
	"漢字かな交じり文、テスト。한국어 텍스트 ไทยไม่มีเว้นวรรค हिन्दी العربية עברית",
	"漢字ABC漢字abc漢字Abc ᾈᾉ ǅǆǄ ʰʱ ªº", "Ωμέγα Привет МИР мирЪ",
	"👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 é e\u0301 \u0301\u0301a \u0301A\u0301B A\u0301\u0301A a\u0301B",
	"\u0301!=", "1\u0301/", "漢ABC 漢ABC1 ʰAB\n", "\u0301AAAA \u0301AAAAb \u0301\u0301'll", "\ufeffbom \ufffd \u200b\u200d \u2028\u2029",
	"\xff\xfe", "a\xffb\xc3", "\xe6\xbc", "\xed\xa0\x80", "\xf0\x9f\x98", "日本\xe8", "'\xff's", "\x00\x01\x7f",
	strings.Repeat("a", 300), strings.Repeat("A", 300), strings.Repeat(" ", 300), strings.Repeat("\n", 300),
	strings.Repeat("=", 300), strings.Repeat("漢", 200), strings.Repeat("\u0301", 200), strings.Repeat("\xff", 200),
	strings.Repeat("ab", 200), strings.Repeat("\r\n", 100), strings.Repeat("-=", 150), strings.Repeat("A\u0301", 100),
	strings.Repeat(" ", 130) + "x", strings.Repeat("z", 127), strings.Repeat("z", 64), strings.Repeat("z", 65),
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
	"{\"key\":[1,2.5,null,true],\"ünï\":\"\\u00e9\\n\"}", "func (s *Service) RecalculateTotalTokens() int {",
}

// maxOracleBytes limits the quadratic time of the oracle.
const maxOracleBytes = 2 << 10

func requireSameCount(t *testing.T, enc Encoding, text string) {
	t.Helper()
	want := len(oracle(enc).EncodeOrdinary(text))
	if got := NewCounter(enc).Count(text); got != want {
		t.Errorf("%s: Count(%q) = %d, tiktoken-go says %d (valid UTF-8: %t)", enc, text, got, want, utf8.ValidString(text))
	}
}

func TestCountMatchesTiktoken(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		for _, text := range seeds {
			requireSameCount(t, enc, text)
		}
	}
}

// cut returns the start of a seed, so that joined seeds stay short.
func cut(text string) string { return text[:min(len(text), 40)] }

func FuzzCountMatchesTiktoken(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxOracleBytes {
			t.Skip("the oracle is quadratic")
		}
		for _, enc := range encodings {
			requireSameCount(t, enc, text)
		}
	})
}
