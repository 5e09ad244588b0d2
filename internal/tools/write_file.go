package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agent/internal/text/textfile"
	"agent/internal/traits"
	"agent/internal/words"
)

type writeFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"the file to write, relative to the workspace or absolute"`
	Content  string `json:"content" jsonschema:"the whole new content of the file"`
}

func writeFile() Tool {
	return defineEdit(Tool{
		Name: "write_file",
		Description: "Creates a file, or replaces the whole content of one that you have read. Missing folders are created. " +
			"The line ends, byte order mark and final newline of an existing file are kept. To change a part, use replace.",
		Traits: Traits{
			Density:   traits.Density{Body: []string{"content"}},
			Essential: true,
			Words:     traits.Say("writing", "wrote", "write"),
		},
	}, planWriteFile)
}

func planWriteFile(env *Env, args writeFileArgs) (change, error) {
	abs, err := env.editable(args.FilePath)
	if err != nil {
		return change{}, err
	}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		c := change{abs: abs, rel: env.Workspace.Rel(abs), after: []byte(args.Content)}
		c.done = fmt.Sprintf("Created %s with %s", c.rel, words.Count(textfile.Parse(c.after).Count(), "line"))
		return c, nil
	}
	s, err := env.openToEdit(args.FilePath)
	if err != nil {
		return change{}, err
	}
	if len(s.whole) > 0 {
		if err := env.mustKnow(s); err != nil {
			return change{}, err
		}
	}
	if err := refuseForeign(s, nil, true); err != nil {
		return change{}, err
	}
	after := textfile.Parse(s.whole).Rewritten(args.Content)
	return planned(s, after, fmt.Sprintf("Wrote %s, now %s", s.rel, words.Count(textfile.Parse(after).Count(), "line")))
}

// mustKnow refuses to edit a file that the model never saw, where the edit itself
// does not prove that it knows the content.
func (e *Env) mustKnow(s *source) error {
	if e.Seen.Known(s.abs) {
		return nil
	}
	return fmt.Errorf("%s exists and you have not read it; read it first (read_file), then repeat the edit", s.rel)
}
