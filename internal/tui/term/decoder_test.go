package term

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestDecoderNamesKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain text", "hé日👍", "h é 日 👍"},
		{"control characters", "\r\t\x7f\x08\x03\x00\x1f", "enter tab backspace ctrl+h ctrl+c ctrl+space ctrl+_"},
		{"shift+enter, kitty", "\x1b[13;2u", "ctrl+j"},
		{"shift+enter, modifyOtherKeys", "\x1b[27;2;13~", "ctrl+j"},
		{"ctrl+enter, kitty", "\x1b[13;5u", "ctrl+j"},
		{"alt+enter, kitty", "\x1b[13;3u", "alt+enter"},
		{"alt+enter", "\x1b\r", "alt+enter"},
		{"enter of the keypad", "\x1b[57414u", "enter"},
		{"digit of the keypad", "\x1b[57404u", "5"},
		{"escape, kitty", "\x1b[27u", "esc"},
		{"escape with Num Lock", "\x1b[27;129u", "esc"},
		{"ctrl+c, kitty", "\x1b[99;5u", "ctrl+c"},
		{"ctrl+c with Caps Lock", "\x1b[99;69u", "ctrl+c"},
		{"ctrl+c, modifyOtherKeys", "\x1b[27;5;99~", "ctrl+c"},
		{"ctrl+space", "\x1b[32;5u", "ctrl+space"},
		{"alt+b", "\x1bb", "alt+b"},
		{"alt+b, kitty", "\x1b[98;3u", "alt+b"},
		{"shift+tab", "\x1b[Z", "shift+tab"},
		{"shift+tab, kitty", "\x1b[9;2u", "shift+tab"},
		{"ctrl+backspace", "\x1b[127;5u", "alt+backspace"},
		{"shift+a, modifyOtherKeys", "\x1b[27;2;97~", "A"},
		{"super+a means nothing", "\x1b[97;9u", ""},
		{"a media key means nothing", "\x1b[57428u", ""},
		{"arrows", "\x1b[A\x1b[1;5C\x1bOA", "up ctrl+right up"},
		{"pages", "\x1b[5~\x1b[6~\x1b[1~\x1b[4~\x1b[H\x1b[F", "pgup pgdown home end home end"},
		{"arrow with Num Lock", "\x1b[1;129A", "up"},
		{"ctrl+arrow with Num Lock", "\x1b[1;133C", "ctrl+right"},
		{"alt+arrow", "\x1b[1;3D", "alt+left"},
		{"delete with Num Lock", "\x1b[3;129~", "delete"},
		{"the end of a paste alone", "a\x1b[201~b", "a b"},
		{"an answer nobody asked for", "a\x1b]10;rgb:0/0/0\x07b", "a b"},
		{"an empty paste", "\x1b[200~\x1b[201~x", "x"},
		{"focus", "\x1b[I\x1b[O", "focus true focus false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var d Decoder
			if got := names(d.Feed(nil, []byte(tt.in))); got != tt.want {
				t.Errorf("Feed(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// names describes events in words.
func names(events []Event) string {
	var out []string
	for _, event := range events {
		switch e := event.(type) {
		case Key:
			out = append(out, e.Name)
		case Focus:
			out = append(out, fmt.Sprint("focus ", bool(e)))
		case Paste:
			out = append(out, "paste:"+string(e))
		case Background:
			out = append(out, fmt.Sprint("dark ", e.Dark))
		}
	}
	return strings.Join(out, " ")
}

func TestDecoderCutsPasteOut(t *testing.T) {
	t.Parallel()
	var d Decoder
	long := strings.Repeat("pasted \x1b[31m text\r", 1000)
	got := d.Feed(nil, []byte("a\x1b[200~"+long+"\x1b[201~b\x1b[200~second\x1b[201~"))
	if diff := cmp.Diff([]Event{typedKey('a'), Paste(long), typedKey('b'), Paste("second")}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecoderRemovesTheBackgroundReply(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\x07", "\x1b\\"} {
		var d Decoder
		var got []Event
		for _, b := range []byte("ty\x1b]11;rgb:ffff/ffff/ffff" + end + "p") {
			got = d.Feed(got, []byte{b})
		}
		if names(got) != "t y dark false p" {
			t.Errorf("got %q", names(got))
		}
	}
}

func TestDecoderWaitsOnlyForIncompleteSequences(t *testing.T) {
	t.Parallel()
	var d Decoder
	if got := names(d.Feed(nil, []byte("a\x1b"))); got != "a" || !d.waiting() {
		t.Fatalf("Feed = %q, waiting %v; want the Esc held back", got, d.waiting())
	}
	if got := names(d.flush(nil)); got != "esc" || d.waiting() {
		t.Fatalf("flush = %q, waiting %v; want the Esc", got, d.waiting())
	}
	for _, half := range []string{backgroundAnswer + "rgb:0", "\x1b[13;", "\xe6\x97", "\x1b\xe6"} {
		var d Decoder
		if d.Feed(nil, []byte(half)); d.waiting() {
			t.Errorf("%q is given up on, as if it were keys", half)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		"abc", "\x1b[13;2u", "\x1b[200~a\rb\x1b[201~c", "\x1b]11;rgb:1/2/3\x1b\\", "\x1b\x1b[A", "日本\xff\xfe", "\x1b[27;2;13~\x1b[27u", "\x1bOA\x1b[1;129A", "\x1b[I", "\x1b[\x00",
	} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		var whole, pieces Decoder
		want := whole.Feed(nil, in)
		var got []Event
		for rest := in; len(rest) > 0; {
			n := min(int(size)%16+1, len(rest))
			got = pieces.Feed(got, rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in pieces of %d (-at once +in pieces):\n%s", int(size)%16+1, diff)
		}
		if whole.waiting() && !bytes.HasSuffix(in, whole.held) {
			t.Fatalf("held back %q, which is not the end of the input", whole.held)
		}
		if !whole.waiting() {
			return
		}
		for _, event := range whole.flush(want) {
			if key, ok := event.(Key); ok && (key.Name == "" || key.Text != "" && !utf8.ValidString(key.Text)) {
				t.Fatalf("a key without a name, or with broken text: %+v", key)
			}
		}
	})
}
