package textdiff

import "testing"

// If the new lines of an edit are exactly the given lines, the edit is described by its positions.
// A deletion, and lines that differ from the given ones, do not count as given.
func TestAsGivenAndPlaces(t *testing.T) {
	t.Parallel()
	const old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n"
	for _, c := range []struct {
		id, after, given string
		asGiven          bool
		places           string
	}{
		{"one line", "1\n2\nx\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "x", true, "line 3, +1 −1"},
		{"more lines", "1\n2\nx\ny\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "x\ny", true, "lines 3-4, +2 −1"},
		{"two places", "1\nx\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\ny\nz\n14\n", "x\ny\nz", true, "lines 2, 13-14, +3 −2"},
		{"two places that are near", "1\nx\n3\ny\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "x\ny", true, "lines 2, 4, +2 −2"},
		{"only added", "0\n" + old, "0", true, "line 1, +1 −0"},
		{"otherwise", "1\n2\n  x\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "x", false, "line 3, +1 −1"},
		{"deleted", "1\n2\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "x", false, ""},
		{"no change", old, "x", false, ""},
	} {
		d := New(old, c.after)
		if got := d.IsAsGiven(c.given); got != c.asGiven {
			t.Errorf("%s: as given %v", c.id, got)
		}
		if c.places != "" && d.DescribePlaces() != c.places {
			t.Errorf("%s: %q, want %q", c.id, d.DescribePlaces(), c.places)
		}
	}
}
