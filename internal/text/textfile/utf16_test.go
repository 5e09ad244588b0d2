package textfile

import (
	"encoding/binary"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// An edit of a UTF-16 file has the same result as the same edit in UTF-8.
func TestUTF16IsEditedLikeUTF8(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rawText().Filter(utf8.ValidString).Draw(t, "raw")
		order := rapid.SampledFrom([]binary.ByteOrder{binary.LittleEndian, binary.BigEndian}).Draw(t, "order")
		narrow, wide := Parse([]byte(raw)), Parse(encode16([]byte(raw), order))
		if wide.Text != narrow.Text {
			t.Fatalf("%q is read as %q", raw, wide.Text)
		}
		start := rapid.IntRange(0, len(narrow.Text)).Draw(t, "start")
		splice := Splice{start, rapid.IntRange(start, len(narrow.Text)).Draw(t, "end"), "two\nlines 𝄞"}
		if !utf8.ValidString(narrow.Text[:start]) || !utf8.ValidString(narrow.Text[splice.End:]) {
			t.Skip("in the middle of a character")
		}
		if got, want := wide.ApplySplices(splice), encode16(narrow.ApplySplices(splice), order); string(got) != string(want) {
			t.Fatalf("%q became %q, want %q", raw, got, want)
		}
		if got, want := wide.Encode("new\n"), encode16(narrow.Encode("new\n"), order); string(got) != string(want) {
			t.Fatalf("%q was rewritten as %q, want %q", raw, got, want)
		}
	})
}

// A file that could not be written back unchanged does not count as UTF-16.
func TestDamagedUTF16IsForeign(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"\xff\xfea", "\xff\xfe\x00\xd8", "\xff\xfe\x00\x00", "\xfe\xff\xdc\x00"} {
		if count, _ := CountInvalidUTF8([]byte(raw)); count == 0 || string(Parse([]byte(raw)).ApplySplices()) != raw {
			t.Errorf("%q", raw)
		}
	}
	if count, _ := CountInvalidUTF8([]byte("\xff\xfea\x00")); count != 0 {
		t.Errorf("%d bytes are foreign", count)
	}
}
