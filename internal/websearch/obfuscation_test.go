package websearch

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// each applies a function to each byte of a text and joins the results.
func each(text string, of func(b byte) string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(of(text[i]))
	}
	return b.String()
}

// TestNoSpellingLeaves writes a known value, a key, and a line of a file in many spellings, next to
// every kind of character. None of them is sent, and ordinary queries are sent.
func TestNoSpellingLeaves(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(46, 4))
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	known := "Zk4vQm82" + random(r, plain+"IlO0", 11) + "7"
	line := "SMTP_LINE=" + random(r, plain+"0123456789", 34)
	file := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(file, []byte("A=b\n"+line+"\nC=d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := []string{known, "ghp_" + random(r, plain, 36), line}
	others := map[byte]string{}
	for row := range strings.Lines(confusables) {
		if letters := []rune(strings.TrimSpace(row)); len(letters) > 1 {
			others[byte(letters[0])] = string(letters[1+r.IntN(len(letters)-1)])
		}
	}
	inOtherLetters := func(b byte) string {
		if other := others[b]; other != "" {
			return other
		}
		return string(rune(b))
	}
	in64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	ways := map[string]func(string) string{
		"base64":           in64,
		"base64url":        func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"hex":              func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX":              func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"two layers":       func(s string) string { return in64(in64(s)) },
		"hex in base64":    func(s string) string { return in64(hex.EncodeToString([]byte(s))) },
		"base64 in groups": func(s string) string { return strings.Join(strings.Split(in64(s), ""), " ") },
		"base64, wide":     func(s string) string { return each(in64(s), func(b byte) string { return string(rune(b) + 0xfee0) }) },
		"base64, escaped": func(s string) string {
			return "100%+" + each(in64(s), func(b byte) string { return fmt.Sprintf("%%%02x", b) })
		},
		"bytes of C":        func(s string) string { return each(s, func(b byte) string { return fmt.Sprintf(`\x%02x`, b) }) },
		"escapes of JSON":   func(s string) string { return each(s, func(b byte) string { return fmt.Sprintf(`\u%04x`, b) }) },
		"numbers of C":      func(s string) string { return each(s, func(b byte) string { return fmt.Sprintf("0x%02x, ", b) }) },
		"bytes with colons": func(s string) string { return each(s, func(b byte) string { return fmt.Sprintf("%02x:", b) }) },
		"entities":          func(s string) string { return each(s, func(b byte) string { return fmt.Sprintf("&#%d;", b) }) },
		"escaped, with a %": func(s string) string {
			return "50%off" + each(s, func(b byte) string { return fmt.Sprintf("%%%02X", b) })
		},
		"escaped thrice": func(s string) string { return url.QueryEscape(url.QueryEscape(url.QueryEscape("=" + s + "="))) },
		"entities in escapes": func(s string) string {
			return url.QueryEscape(html.EscapeString(each(s, func(b byte) string { return fmt.Sprintf("&#x%x;", b) })))
		},
		"other letters":    func(s string) string { return each(s, inOtherLetters) },
		"one other letter": func(s string) string { return s[:5] + inOtherLetters(s[5]) + s[6:] },
		"accents": func(s string) string {
			return norm.NFC.String(each(s, func(b byte) string { return string(rune(b)) + "\u0301" }))
		},
		"bold":    func(s string) string { return each(s, bold) },
		"circled": func(s string) string { return each(s, circled) },
	}
	signs := strings.Split(`%s|id=%s|x?k=%s&y|a/%s/b|v.%s|x-%s|x_%s|[%s]|{%s}|a|%s;|`+"`%s`"+`|#%s|@%s|~%s|x+%s|*%s*|!%s|$%s|"%s"|why %s in go?|(%s)`, "|")
	tried := 0
	for name, spell := range ways {
		for _, key := range keys {
			for _, sign := range signs {
				tried++
				q := Query{Text: strings.Replace(sign, "%s", spell(key), 1)}
				if strings.Contains(sign, "%s") && q.leaks([]string{known}, []string{file}) == nil {
					t.Errorf("%s: %s leaves as %q", name, key, q.Text)
				}
			}
		}
	}
	t.Log(tried, "spellings")
	for _, text := range []string{
		"integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= npm", "commit ce2dfb0ad57c3d53b32a694a8a23478764bb3134 linux", "uuid 123e4567-e89b-12d3-a456-426614174000 version",
		"https://pkg.go.dev/golang.org/x/text/unicode/norm#NFKD", "чем отличается горутина от потока в языке программирования", "πώς λειτουργεί η μνήμη στη γλώσσα προγραμματισμού", "error 0xc0000005 at 0x00007ff6a1b2c3d4 in kernelbase",
		"what does aGVsbG8gd29ybGQ= mean", "internationalization-and-localization-of-command-line-programs", "100% cpu in containerd-shim-runc-v2 50%off",
	} {
		if err := (Query{Text: text}).leaks([]string{known}, []string{file}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// bold returns the mathematical bold form of an ASCII letter or digit.
func bold(b byte) string {
	switch {
	case b >= 'A' && b <= 'Z':
		return string(0x1d400 + rune(b-'A'))
	case b >= 'a' && b <= 'z':
		return string(0x1d41a + rune(b-'a'))
	case b >= '0' && b <= '9':
		return string(0x1d7ce + rune(b-'0'))
	}
	return string(rune(b))
}

// circled returns the circled form of an ASCII letter.
func circled(b byte) string {
	switch {
	case b >= 'A' && b <= 'Z':
		return string(0x24b6 + rune(b-'A'))
	case b >= 'a' && b <= 'z':
		return string(0x24d0 + rune(b-'a'))
	}
	return string(rune(b))
}
