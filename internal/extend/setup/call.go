package setup

import (
	"fmt"
	"strings"
)

// maxSkills is the greatest number of skills that one line may call.
const maxSkills = 5

// Call is a call of a skill or a command.
type Call struct {
	Entry *Entry
	// As is the name to type. It is the name of the entry, prefixed with its origin if another
	// entry has the same name.
	As string
	// Arguments is the rest of the line, unchanged.
	Arguments string
}

// Calls returns the calls at the beginning of a line: none, one command, or up to five consecutive
// skills. The last call receives the arguments.
func (s Set) Calls(line string) []Call {
	var calls []Call
	rest := strings.TrimSpace(line)
	for len(calls) < maxSkills {
		word, after, _ := strings.Cut(rest, " ")
		if i := strings.IndexAny(word, "\t\n"); i >= 0 {
			word, after = rest[:i], rest[i+1:]
		}
		name, slash := strings.CutPrefix(word, "/")
		call, found := s.named(name)
		if !slash || !found || len(calls) > 0 && !call.Entry.IsSkill() {
			break
		}
		calls = append(calls, call)
		if rest = strings.TrimSpace(after); !call.Entry.IsSkill() {
			break
		}
	}
	if len(calls) > 0 {
		calls[len(calls)-1].Arguments = rest
	}
	return calls
}

// Runner runs a command in a text and returns its output. If it refuses to run the command, refused
// is the reason. An error ends the whole call.
type Runner func(line string) (output, refused string, err error)

// Text returns a call in the form for the model: the text of the entry with arguments, between
// tags. files lists the files that it includes.
func (c Call) Text(run Runner) (text string, files []string, err error) {
	var b strings.Builder
	for _, part := range c.Entry.Fill(c.Arguments) {
		switch {
		case part.File != "":
			b.WriteString("@" + part.File)
			files = append(files, part.File)
		case part.Command != "":
			output, refused := "", part.Refused
			if refused == "" {
				if output, refused, err = run(part.Command); err != nil {
					return "", nil, err
				}
			}
			if refused != "" {
				output = fmt.Sprintf("`%s` (not run: %s)", part.Command, refused)
			}
			b.WriteString(strings.TrimRight(output, "\n"))
		default:
			b.WriteString(part.Text)
		}
	}
	return c.tagged(strings.TrimSpace(b.String())), files, nil
}

// tagged encloses a text in tags. It escapes closing tags in the text, so that the text cannot end
// early.
func (c Call) tagged(text string) string {
	mark, attributes := "command", fmt.Sprintf("name=%q", c.As)
	if c.Entry.IsSkill() {
		mark, attributes = "skill", fmt.Sprintf("name=%q dir=%q", c.Entry.Name, c.Entry.Dir)
		if files, more := c.Entry.Files(); len(files) > 0 {
			if more {
				files = append(files, "…")
			}
			text += "\n\nFiles of this skill: " + strings.Join(files, ", ")
		}
	}
	text = strings.ReplaceAll(text, "</"+mark, `<\/`+mark)
	return fmt.Sprintf("<%s %s>\n%s\n</%s>", mark, attributes, text, mark)
}

// Key returns the key of a skill's text. A later text with the same key replaces the earlier one.
// It returns "" for a command.
func (c Call) Key() string {
	if !c.Entry.IsSkill() {
		return ""
	}
	return "skill:" + c.Entry.File
}
