package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agent/internal/base/humanize"
	"agent/internal/text/textfile"
	"agent/internal/toolspec"
)

type writeFileArgs struct {
	FilePath string `json:"file_path"`
	Content  string `json:"content"`
}

func writeFile() Tool {
	return defineEdit(Tool{
		Name:        "write_file",
		Description: "Creates a file and its folders, or replaces all of a file that you have read.",
		Traits: Traits{
			Density:   toolspec.Density{Body: []string{"content"}},
			Essential: true,
			Words:     toolspec.SameVerbs("writing", "wrote", "write"),
		},
	}, planWriteFile)
}

func planWriteFile(env *Env, args writeFileArgs) (editPlan, error) {
	abs, err := env.editable(args.FilePath)
	if err != nil {
		return editPlan{}, err
	}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		c := (&source{abs: abs, rel: env.Workspace.Rel(abs)}).changeTo([]byte(args.Content))
		done := fmt.Sprintf("Created %s with %s", c.rel, humanize.Count(textfile.Parse(c.after).LineCount(), "line"))
		return editPlan{changes: []change{c}, done: done}, nil
	}
	s, err := env.openKnown(args.FilePath)
	if err != nil {
		return editPlan{}, err
	}
	if err := refuseForeign(s, nil, true); err != nil {
		return editPlan{}, err
	}
	after := textfile.Parse(s.whole).Encode(args.Content)
	return editTo(s, after, textfile.NormalizeLineEnds(args.Content), fmt.Sprintf("Wrote %s, now %s", s.rel, humanize.Count(textfile.Parse(after).LineCount(), "line")))
}
