package snapshot

import (
	"bytes"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
)

// diff returns the difference between two versions of a file in git's format.
func diff(path string, now, then version) string {
	from, to := humanize.FileName("a/"+path), humanize.FileName("b/"+path)
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git %s %s\n", from, to)
	switch {
	case now.Kind == KindMissing:
		fmt.Fprintf(&out, "new file mode %s\n", gitMode(then))
		from = "/dev/null"
	case then.Kind == KindMissing:
		fmt.Fprintf(&out, "deleted file mode %s\n", gitMode(now))
		to = "/dev/null"
	case gitMode(now) != gitMode(then) && then.Mode != 0:
		fmt.Fprintf(&out, "old mode %s\nnew mode %s\n", gitMode(now), gitMode(then))
	}
	lines := ""
	if isText(now) && isText(then) {
		lines = textdiff.New(textfile.Parse(now.content).Text, textfile.Parse(then.content).Text).Unified(from, to)
	} else if !bytes.Equal(now.content, then.content) || now.Kind != then.Kind || now.content == nil {
		lines = fmt.Sprintf("Binary files %s and %s differ\n", from, to)
	}
	return out.String() + lines
}

// gitMode returns a mode in git's format, but with the real permissions.
func gitMode(f version) string {
	if f.Kind == KindLink {
		return "120000"
	}
	if f.Mode == 0 {
		return "100644"
	}
	return fmt.Sprintf("100%03o", f.Mode.Perm())
}

func isText(f version) bool {
	return f.Kind == KindMissing || f.Kind == KindFile && f.content != nil && bytes.IndexByte(f.content, 0) < 0
}
