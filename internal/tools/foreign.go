package tools

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agent/internal/text/textfile"
	"agent/internal/words"
)

// replacement is what the model is shown in the place of bytes that are not UTF-8.
const replacement = "\uFFFD"

// foreignNote says for the model that a file is not UTF-8, as far as it is known; empty
// when it is. shown is what an answer shows of it.
func (s *source) foreignNote(shown string) string {
	if s.whole == nil && strings.Contains(shown, replacement) {
		return fmt.Sprintf("[%s is not all UTF-8 text: each %s may stand for bytes that are not]", s.rel, replacement)
	}
	count, line := textfile.Foreign(s.whole)
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("[%s is not UTF-8 text: %s, the first in line %d, stand here as %s. replace keeps those outside of old_string; write_file would destroy them and is refused]",
		s.rel, words.Count(count, "byte"), line, replacement)
}

// refuseForeign refuses to write what would destroy the bytes of a file that are not UTF-8:
// those that the model was shown as U+FFFD, and which it cannot write.
func refuseForeign(s *source, after []byte, whole bool) error {
	count, line := textfile.Foreign(s.whole)
	if count == 0 || !whole && bytes.Count(after, []byte(replacement)) <= bytes.Count(s.whole, []byte(replacement)) {
		return nil
	}
	what := "the new text holds " + replacement + " in their place"
	if whole {
		what = "a new content would destroy them"
	}
	return fmt.Errorf("%s is not UTF-8 text: it holds %s that are not, the first in line %d, and %s; nothing was written. Use replace on the lines around them, or convert the file with iconv in the shell first",
		s.rel, words.Count(count, "byte"), line, what)
}

// foreignFiles names the files of which a search shows lines that are not UTF-8.
func foreignFiles(names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	names = slices.Compact(names)
	const most = 5
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return fmt.Sprintf("[not UTF-8 text, so that %s stands for other bytes: %s]", replacement, strings.Join(names, ", "))
}
