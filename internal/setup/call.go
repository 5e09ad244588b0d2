package setup

import (
	"fmt"
	"strings"
)

// maxSkills is the most skills that one line may call.
const maxSkills = 5

// Call is the call of an entry.
type Call struct {
	*Entry
	// As is the name by which it is called: its own name, preceded by its origin if another
	// entry has that name.
	As string
	// Arguments is the rest of the line, as it was typed.
	Arguments string
}

// Calls returns the calls at the beginning of a line: none, one command, or up to five skills in a
// row. The last one gets the arguments.
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
		if !slash || !found || len(calls) > 0 && !call.IsSkill() {
			break
		}
		calls = append(calls, call)
		if rest = strings.TrimSpace(after); !call.IsSkill() {
			break
		}
	}
	if len(calls) > 0 {
		calls[len(calls)-1].Arguments = rest
	}
	return calls
}

// Runner runs a command line in a text and returns its output. refused is why it was not run,
// empty if it was. An error ends the whole call.
type Runner func(line string) (output, refused string, err error)

// Text returns a call as the model reads it: the filled-in text between tags, and the files that
// it includes.
func (c Call) Text(run Runner) (text string, files []string, err error) {
	var b strings.Builder
	for _, part := range c.Fill(c.Arguments) {
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
	return c.marked(strings.TrimSpace(b.String())), files, nil
}

// marked puts tags around a text, which the text itself cannot close.
func (c Call) marked(text string) string {
	mark, attributes := "command", fmt.Sprintf("name=%q", c.As)
	if c.IsSkill() {
		mark, attributes = "skill", fmt.Sprintf("name=%q dir=%q", c.Name, c.Dir)
		if files, more := c.Files(); len(files) > 0 {
			if more {
				files = append(files, "…")
			}
			text += "\n\nFiles of this skill: " + strings.Join(files, ", ")
		}
	}
	text = strings.ReplaceAll(text, "</"+mark, `<\/`+mark)
	return fmt.Sprintf("<%s %s>\n%s\n</%s>", mark, attributes, text, mark)
}

// Key returns the key of the text of a skill, so that a skill that is called again replaces its
// earlier text; empty for a command.
func (c Call) Key() string {
	if !c.IsSkill() {
		return ""
	}
	return "skill:" + c.File
}
