package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/app/hookgates"
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/base/table"
	"agent/internal/extend/setup/imports"
	"agent/internal/notes"

	"github.com/spf13/cobra"
)

// importOptions holds the flags of agent import.
type importOptions struct {
	dry, json, keepRules bool
	only                 []string
}

func newImport(w world) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import [SOURCE…]",
		Short: "Import MCP servers, hooks and notes from other coding agents",
		Long: `Imports the configuration of other coding agents, or only of the named ones:
` + strings.Join(imports.SourceNames(), ", ") + `.

Your servers go to mcp.json and your hooks to hooks.json in the configuration folder. Servers
of the workspace go to its .mcp.json and are used after agent trust yes. Existing names are
not overwritten, and nothing is started. Rules are shown in the form of --allow; you can
keep rules from your own files for this project. Memories of Claude Code and Gemini CLI
become proposed notes, which are used after you approve them (/notes).`,
		ValidArgs: imports.SourceNames(),
		Args:      cobra.ArbitraryArgs,
		RunE:      func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), w, args, o) },
	}
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "show the result without writing it")
	cmd.Flags().BoolVar(&o.keepRules, "keep-rules", false, "save your approval rules for this project without asking")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "comma-separated `KINDS`: "+imports.Kinds()+", "+notesKind)
	return cmd
}

func runImport(ctx context.Context, w world, sources []string, o importOptions) error {
	f, err := w.process.Folders()
	if err != nil {
		return err
	}
	if w.process.Dir == "" {
		return errors.New("the current folder was deleted; change to another")
	}
	var only []imports.Kind
	notesToo := len(o.only) == 0 && len(sources) == 0
	for _, kind := range o.only {
		if kind == notesKind {
			notesToo = true
			continue
		}
		only = append(only, imports.Kind(kind))
	}
	if notesToo {
		if err := importNotes(w, o); err != nil || len(only) == 0 && len(o.only) > 0 {
			return err
		}
	}
	where := imports.Locations{Locations: w.process.TrustedLocations(f, w.process.Dir), Base: filepath.Dir(f.Config), InOurWords: hookgates.TranslateRule}
	if err := imports.Check(sources, only); err != nil {
		return usage(err)
	}
	plan, err := imports.Read(where, sources, only)
	if err != nil {
		return err
	}
	if err := plan.Check(); err != nil {
		return err
	}
	kept := keepable(w, f, plan)
	if !o.dry {
		if err := plan.Write(); err != nil {
			return err
		}
	}
	if o.json {
		return rawjson.WriteIndented(w.out, map[string]any{"written": plan.ChangesFiles() && !o.dry, "changes": append([]imports.Change{}, plan.Changes...)})
	}
	if err := printLines(w, importLines(plan, o.dry, w.process.Home)); err != nil || o.dry {
		return err
	}
	return kept.offer(ctx, w, o.keepRules)
}

// notesKind is the value of --only for notes.
const notesKind = "notes"

// importNotes proposes the memories of other agents as notes.
func importNotes(w world, o importOptions) error {
	book, here, err := w.notes()
	if err != nil {
		return err
	}
	others, problems := notes.ReadForeign(w.process.Home, w.process.Env("CLAUDE_CONFIG_DIR"), here)
	added, err := book.Propose(others, o.dry)
	if err != nil || o.json && len(o.only) == 0 {
		return err
	}
	if o.json {
		return rawjson.WriteIndented(w.out, append([]notes.ForeignNote{}, added...))
	}
	lines := problems
	for _, n := range added {
		lines = append(lines, "note  "+humanize.Line(n.Text, 200), "  from "+humanize.EscapeInvisible(n.From))
	}
	switch {
	case len(added) > 0 && !o.dry:
		lines = append(lines, humanize.Count(len(added), "note")+" proposed. They are used after you approve them: type /notes in a session.")
	case len(added) > 0:
		lines = append(lines, humanize.Count(len(added), "note")+" would be proposed; nothing was written")
	case len(o.only) > 0:
		lines = append(lines, "no new notes from other coding agents")
	}
	return w.print(lines...)
}

func importLines(plan imports.Plan, dry bool, home string) []string {
	if len(plan.Changes) == 0 {
		return []string{"nothing to import: found no configuration of another coding agent"}
	}
	short := func(path string) string { return humanize.EscapeInvisible(fsutil.Tilde(path, home)) }
	var rows [][]string
	written := 0
	for _, c := range plan.Changes {
		if c.State == imports.StateNew {
			written++
		}
		kind := strings.TrimSuffix(string(c.Kind), "s")
		what := kind + " " + c.Name
		if c.Count > 0 {
			what = humanize.Count(c.Count, kind)
		}
		rows = append(rows, []string{string(c.State), what}, []string{"", "  from " + short(c.From)})
		if c.To != "" && c.To != c.From {
			rows = append(rows, []string{"", "  to " + short(c.To)})
		}
		for _, lost := range c.Lost {
			rows = append(rows, []string{"", "  " + lost})
		}
	}
	lines := table.Lines("ll", rows)
	switch {
	case written == 0:
		return append(lines, "nothing new to import")
	case dry:
		return append(lines, fmt.Sprintf("would write %s; nothing was written", humanize.Count(written, "entry")))
	}
	return append(lines, humanize.Count(written, "entry")+" written. To see them, type /hooks in a session, or run: agent mcp list")
}
