package manual_test

import (
	"testing"
	"testing/fstest"

	"agent/internal/manual"
)

var files = fstest.MapFS{
	"how-to/undo.md": {Data: []byte("# Undo a turn\n<!-- also: revert -->\n\n![A turn](../turn.svg)\n\nIntro.\n\n## Later turns\n\n```\n# no heading\n```\n")},
	"cost.md":        {Data: []byte("# Cost\n\nPrices of sessions, undo excluded.\n")},
}

func TestPages(t *testing.T) {
	t.Parallel()
	pages := manual.Pages(files)
	if len(pages) != 2 || pages[1].Name != "how-to/undo" || pages[1].Title != "Undo a turn" || len(pages[1].Sections) != 2 || pages[1].Sections[0].Text != "# Undo a turn\n\nIntro." {
		t.Errorf("%+v", pages)
	}
}

func TestTopicAndSearch(t *testing.T) {
	t.Parallel()
	pages := manual.Pages(files)
	for topic, want := range map[string]int{"undo": 1, "UNDO.md": 1, "how-to/undo": 1, "turn undo": 1, "nothing": 0, "": 0} {
		if got := manual.FindTopic(pages, topic); len(got) != want {
			t.Errorf("Topic(%q) = %v, want %d", topic, got, want)
		}
	}
	for words, want := range map[string]string{"reverting": "Undo a turn", "how do I undo": "Undo a turn", "session price": "Cost"} {
		if got := manual.Search(words, nil, pages).Sections; len(got) == 0 || got[0].Title != want {
			t.Errorf("Search(%q) = %v, want %s first", words, got, want)
		}
	}
	entries := []manual.Entry{{"/undo", "revert files", ""}, {"/stats", "show usage", "show costs"}}
	if got := manual.Search("cost", entries, pages).Entries; len(got) != 1 || got[0].Name != "/stats" {
		t.Errorf("entries: %v", got)
	}
	if got := manual.Search("how do I the", entries, pages); len(got.Entries)+len(got.Sections) > 0 {
		t.Errorf("idle words find %v", got)
	}
}
