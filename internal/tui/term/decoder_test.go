package term

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecoderTranslatesKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain text", "hé日👍", "hé日👍"},
		{"shift+enter, kitty", "\x1b[13;2u", "\n"},
		{"shift+enter, modifyOtherKeys", "\x1b[27;2;13~", "\n"},
		{"ctrl+enter, kitty", "\x1b[13;5u", "\n"},
		{"alt+enter, kitty", "\x1b[13;3u", "\x1b\r"},
		{"enter of the keypad", "\x1b[57414u", "\r"},
		{"digit of the keypad", "\x1b[57404u", "5"},
		{"escape, kitty", "\x1b[27u", "\x1b"},
		{"escape with Num Lock", "\x1b[27;129u", "\x1b"},
		{"ctrl+c, kitty", "\x1b[99;5u", "\x03"},
		{"ctrl+c with Caps Lock", "\x1b[99;69u", "\x03"},
		{"ctrl+c, modifyOtherKeys", "\x1b[27;5;99~", "\x03"},
		{"ctrl+space", "\x1b[32;5u", "\x00"},
		{"alt+b, kitty", "\x1b[98;3u", "\x1bb"},
		{"shift+tab, kitty", "\x1b[9;2u", "\x1b[Z"},
		{"ctrl+backspace", "\x1b[127;5u", "\x1b\x7f"},
		{"shift+a, modifyOtherKeys", "\x1b[27;2;97~", "A"},
		{"super+a means nothing", "\x1b[97;9u", ""},
		{"a media key means nothing", "\x1b[57428u", ""},
		{"arrows stay", "\x1b[A\x1b[1;5C\x1bOA", "\x1b[A\x1b[1;5C\x1bOA"},
		{"arrow with Num Lock", "\x1b[1;129A", "\x1b[A"},
		{"ctrl+arrow with Num Lock", "\x1b[1;133C", "\x1b[1;5C"},
		{"delete with Num Lock", "\x1b[3;129~", "\x1b[3~"},
		{"the end of a paste alone", "a\x1b[201~b", "ab"},
		{"an answer nobody asked for", "a\x1b]10;rgb:0/0/0\x07b", "ab"},
		{"an empty paste", "\x1b[200~\x1b[201~x", "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDecoder()
			if got := string(d.feed(nil, []byte(tt.in))); got != tt.want {
				t.Errorf("feed(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func newTestDecoder() *Decoder {
	return &Decoder{Pastes: &Pastes{}, Background: func(string) {}}
}

func TestDecoderCutsPasteOut(t *testing.T) {
	t.Parallel()
	d := newTestDecoder()
	long := strings.Repeat("pasted \x1b[31m text\r", 1000)
	got := string(d.feed(nil, []byte("a\x1b[200~"+long+"\x1b[201~b\x1b[200~second\x1b[201~")))
	if want := "a\x1b[200~1\x1b[201~b\x1b[200~2\x1b[201~"; got != want {
		t.Fatalf("feed = %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{long, "second"}, []string{d.Pastes.Take("1"), d.Pastes.Take("2")}); diff != "" {
		t.Error(diff)
	}
	if d.Pastes.Take("1") != "" {
		t.Error("a paste was handed out twice")
	}
}

func TestDecoderTakesBackgroundAnswerOut(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\x07", "\x1b\\"} {
		var answers []string
		d := newTestDecoder()
		d.Background = func(answer string) { answers = append(answers, answer) }
		in := "ty\x1b]11;rgb:ffff/ffff/ffff" + end + "ped"
		var got []byte
		for _, b := range []byte(in) {
			got = d.feed(got, []byte{b})
		}
		if string(got) != "typed" {
			t.Errorf("keys around the answer became %q", got)
		}
		if diff := cmp.Diff([]string{"rgb:ffff/ffff/ffff"}, answers); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDecoderWaitsOnlyForWhatMayContinue(t *testing.T) {
	t.Parallel()
	d := newTestDecoder()
	if got := d.feed(nil, []byte("a\x1b")); string(got) != "a" || !d.waiting() {
		t.Fatalf("feed = %q, waiting %v; want the Esc held back", got, d.waiting())
	}
	if got := d.flush(nil); string(got) != "\x1b" || d.waiting() {
		t.Fatalf("flush = %q, waiting %v; want the Esc", got, d.waiting())
	}
	d.feed(nil, []byte(backgroundAnswer+"rgb:0"))
	if d.waiting() {
		t.Error("an answer that comes in is waited for as if it were a key")
	}
}

// Whatever is translated of one read must fit the buffer Bubble Tea reads with.
func TestDecoderOutputFitsTheReadBuffer(t *testing.T) {
	t.Parallel()
	d := newTestDecoder()
	in := strings.Repeat("\x1b[200~x\x1b[201~", 2000)
	for len(in) > 0 {
		n := min(readSize, len(in))
		if out := d.feed(nil, []byte(in[:n])); len(out) > 128 {
			t.Fatalf("%d bytes out of one read", len(out))
		}
		in = in[n:]
	}
}

func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		"abc", "\x1b[13;2u", "\x1b[200~a\rb\x1b[201~c", "\x1b]11;rgb:1/2/3\x1b\\", "\x1b\x1b[A", "日本\xff\xfe", "\x1b[27;2;13~\x1b[27u", "\x1bOA\x1b[1;129A",
	} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		whole := newTestDecoder()
		want := whole.feed(nil, in)
		pieces := newTestDecoder()
		var got []byte
		for rest := in; len(rest) > 0; {
			n := min(int(size)%16+1, len(rest))
			got = pieces.feed(got, rest[:n])
			rest = rest[n:]
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("in pieces of %d: %q, at once: %q", int(size)%16+1, got, want)
		}
		if diff := cmp.Diff(whole.Pastes.held, pieces.Pastes.held); diff != "" {
			t.Fatal(diff)
		}
		if whole.waiting() && !bytes.HasSuffix(in, whole.held) {
			t.Fatalf("held back %q, which is not the end of the input", whole.held)
		}
	})
}
