package setup

import (
	"fmt"
	"strings"

	"agent/internal/setup/fill"
)

// maxSkills is how many skills one line may call.
const maxSkills = 5

// Call is an entry that is called with arguments.
type Call struct {
	Entry
	// Arguments are the rest of the line, as it was typed.
	Arguments string
}

// Calls returns what a line calls: nothing, one command, or up to five skills in a row, of
// which the last gets the arguments.
func (s Set) Calls(line string) []Call {
	var calls []Call
	rest := strings.TrimSpace(line)
	for len(calls) < maxSkills {
		word, after, _ := strings.Cut(rest, " ")
		if i := strings.IndexAny(word, "\t\n"); i >= 0 {
			word, after = rest[:i], rest[i+1:]
		}
		name, slash := strings.CutPrefix(word, "/")
		entry, found := s.Named(name)
		if !slash || !found || len(calls) > 0 && entry.Skill == nil {
			break
		}
		calls = append(calls, Call{Entry: entry})
		if rest = strings.TrimSpace(after); entry.Skill == nil {
			break
		}
	}
	if len(calls) > 0 {
		calls[len(calls)-1].Arguments = rest
	}
	return calls
}

// Runner runs a line that a text holds and returns what it printed. Refused is why it was
// not run, empty if it was; an error ends the whole call.
type Runner func(line string) (output, refused string, err error)

// Text is what the model reads of a call: the filled-in text between marks that say what
// it is. Files are those that it includes.
func (c Call) Text(run Runner) (text string, files []string, err error) {
	filled := c.Command.Fill
	if c.Skill != nil {
		filled = c.Skill.Fill
	}
	var b strings.Builder
	for _, part := range filled(c.Arguments) {
		switch {
		case part.File != "":
			b.WriteString("@" + part.File)
			files = append(files, part.File)
		case part.Command != "":
			said, err := ran(part, run)
			if err != nil {
				return "", nil, err
			}
			b.WriteString(said)
		default:
			b.WriteString(part.Text)
		}
	}
	return c.marked(strings.TrimSpace(b.String())), files, nil
}

// ran returns what takes the place of a command: its output, or its words and why it was
// not run.
func ran(p fill.Part, run Runner) (string, error) {
	refused, output := p.Refused, ""
	if refused == "" {
		var err error
		if output, refused, err = run(p.Command); err != nil {
			return "", err
		}
	}
	if refused != "" {
		return fmt.Sprintf("`%s` (not run: %s)", p.Command, refused), nil
	}
	return strings.TrimRight(output, "\n"), nil
}

// marked puts marks around a text, which nothing in it can close.
func (c Call) marked(text string) string {
	mark, attributes := "command", fmt.Sprintf("name=%q", c.Name)
	if c.Skill != nil {
		mark, attributes = "skill", fmt.Sprintf("name=%q dir=%q", c.Skill.Name, c.Skill.Dir)
		if files, more := c.Skill.Files(); len(files) > 0 {
			if more {
				files = append(files, "…")
			}
			text += "\n\nFiles of this skill: " + strings.Join(files, ", ")
		}
	}
	text = strings.ReplaceAll(text, "</"+mark, `<\/`+mark)
	return fmt.Sprintf("<%s %s>\n%s\n</%s>", mark, attributes, text, mark)
}

// Key names what the text of a call is the content of, empty for a command: a skill that
// is called again takes its own place.
func (c Call) Key() string {
	if c.Skill == nil {
		return ""
	}
	return "skill:" + c.Skill.File
}
