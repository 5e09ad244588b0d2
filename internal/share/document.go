package share

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/base/secret"
	"agent/internal/history"
)

// A Document is a conversation in the format that agent context reads, for a bug report.
type Document struct {
	JSON []byte
	Replacements
}

// NewDocument returns the document of a conversation in a workspace. A replacement has as many
// tokens as the original, and equal texts get equal replacements. A replay therefore prunes the
// same entries.
func NewDocument(home, workspace string, entries []*history.Content, count func(string) int) (*Document, error) {
	c := &cleaner{home: home, at: homeLike(home, count), count: count, lines: map[string]string{}}
	data, err := history.WriteDocument(workspace, c.withoutMedia(entries))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for number, line := range bytes.SplitAfter(data, []byte("\n")) { // each line contains an entry
		if err := c.literals(&out, fmt.Sprintf("entry %d", number-1), line); err != nil {
			return nil, err
		}
	}
	return &Document{out.Bytes(), c.Replacements}, nil
}

// withoutMedia replaces the bytes of images and PDFs by the same number of other bytes, so that
// their content stays private. Equal images get equal bytes.
func (c *cleaner) withoutMedia(entries []*history.Content) []*history.Content {
	entries = slices.Clone(entries)
	for i, entry := range entries {
		blocks := slices.Clone(entry.Blocks)
		changed := false
		for j, block := range blocks {
			media, is := block.(*history.Media)
			if !is || media.Data == "" {
				continue
			}
			other := *media
			sum := hex.EncodeToString([]byte(history.Digest(media.Data)))
			other.Data = strings.Repeat(sum, len(media.Data)/len(sum)+1)[:len(media.Data)]
			blocks[j], changed = &other, true
			c.Lines = append(c.Lines, Replacement{fmt.Sprintf("entry %d", i+1), "the content of " + media.MimeType})
		}
		if changed {
			entries[i] = entry.WithBlocks(blocks)
		}
	}
	return entries
}

// homeLike returns an invented home folder path with as many tokens as home.
func homeLike(home string, count func(string) int) string {
	parent, name := path.Split(home)
	for _, other := range []string{"user", "you", strings.Repeat("u", len(name)), "someone", "a-user", "some-user", "some-user-1", "some-user-12"} {
		if other != name && count(parent+other+"/x") == count(home+"/x") {
			return parent + other
		}
	}
	return parent + "user"
}

// literals writes JSON with each of its strings cleaned. All other bytes stay unchanged.
func (c *cleaner) literals(out *bytes.Buffer, where string, data []byte) error {
	name := ""
	for {
		begin := bytes.IndexByte(data, '"')
		if begin < 0 {
			out.Write(data)
			return nil
		}
		end := begin + 1
		for data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		out.Write(data[:begin])
		literal := data[begin : end+1]
		data = data[end+1:]
		var text string
		if err := json.Unmarshal(literal, &text); err != nil {
			return err
		}
		member := bytes.HasPrefix(bytes.TrimSpace(data), []byte(":"))
		if member {
			name = ""
		}
		clean := c.cleanSameSize(where, name, text)
		if member {
			name = text
		}
		if clean == text {
			out.Write(literal)
			continue
		}
		quoted, err := rawjson.Marshal(clean)
		if err != nil {
			return err
		}
		out.Write(quoted)
	}
}

// cleanSameSize returns a text without secrets and home paths. It keeps the numbers of lines and
// tokens.
func (c *cleaner) cleanSameSize(where, name, text string) string {
	clean := c.value(where, secretName(name), text).(string)
	if clean == text {
		return text
	}
	before, after := strings.Split(text, "\n"), strings.Split(clean, "\n")
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	tail := 0
	for tail < min(len(before), len(after))-same && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for i := same; i < len(before)-tail; i++ {
		line := secret.Placeholder // a secret of several lines becomes one line
		if i < len(after)-tail {
			line = after[i]
		}
		before[i] = c.line(before[i], line)
	}
	return strings.Join(before, "\n")
}

// secretName returns the name of a member if its name marks its value as a possible secret,
// otherwise "". The members that the document format defines are never secrets.
func secretName(name string) string {
	if name == history.MetaKey {
		return ""
	}
	return name
}

// line returns a cleaned line with as many tokens as the original. Equal lines get equal results.
func (c *cleaner) line(was, clean string) string {
	if known, ok := c.lines[was]; ok {
		return known
	}
	if !strings.Contains(clean, secret.Placeholder) {
		c.lines[was] = clean
		return clean
	}
	count := func(line string) int { return c.count(line + "\n") } // a line counts with its line break
	wanted, best := count(was), clean
	short := strings.Replace(clean, secret.Placeholder, "-", 1)
	for n := 0; count(best) != wanted && n <= wanted; n++ {
		for _, with := range []string{secret.Placeholder + strings.Repeat(" x", n), strings.Repeat(" x", n), strings.Repeat("-", n)} {
			if try := strings.Replace(clean, secret.Placeholder, with, 1); count(try) == wanted {
				best = try
				break
			}
		}
	}
	if count(best) > wanted && count(short) >= wanted {
		best = short
	}
	c.lines[was] = best
	return best
}
