package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"agent/docs"
	"agent/internal/app"
	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/base/table"
	"agent/internal/frontend/cli"
	"agent/internal/manual"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	tuiterm "agent/internal/tui/term"

	"github.com/spf13/cobra"
)

func newDocs(w world) *cobra.Command {
	var (
		search bool
		site   string
	)
	cmd := &cobra.Command{
		Use:   "docs [TOPIC]",
		Short: "Show the documentation, or the page on a topic",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if site != "" {
				return writeSite(site, manual.Pages(docs.Files))
			}
			if search && len(args) > 0 {
				return searchDocs(w, cmd.Root(), args)
			}
			return printTopic(w, cmd.Root(), args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (topics []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, page := range manual.Pages(docs.Files) {
				topics = append(topics, cobra.CompletionWithDesc(path.Base(page.Name), page.Title))
			}
			return topics, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVarP(&search, "search", "s", false, "search all pages for the words")
	cmd.Flags().StringVar(&site, "html", "", "write the documentation as a web site into `DIR`")
	return cmd
}

// printTopic prints the page on a topic. Without a topic it prints the map of the documentation.
func printTopic(w world, root *cobra.Command, args []string) error {
	topic := strings.Join(args, " ")
	if topic == "" {
		topic = "readme"
	}
	pages := manual.FindTopic(manual.Pages(docs.Files), topic)
	if len(pages) == 0 {
		return searchDocs(w, root, args)
	}
	if len(pages) == 1 {
		return printMarkdown(w, strings.TrimSpace(pages[0].Text))
	}
	var rows [][]string
	for _, page := range pages {
		rows = append(rows, []string{"agent docs " + path.Base(page.Name), page.Title})
	}
	return w.print(table.Lines("ll", rows)...)
}

// printMarkdown prints a text of the documentation, laid out for a terminal. To a file or a pipe it writes
// the text unchanged.
func printMarkdown(w world, text string) error {
	width := columns(w.stdout)
	if width == 0 {
		return w.print(strings.Split(text, "\n")...)
	}
	dark, known := tuiterm.DeclaredBackground(w.process.Env("COLORFGBG"))
	theme := style.NewTheme(style.DetectColors(w.process.Env), style.PaletteFor("", dark || !known))
	_, err := fmt.Fprintln(w.stdout, strings.Join(markdown.New(theme).Render(text, width), "\n"))
	return err
}

// searchDocs prints the commands, the settings and the section of the documentation that best match the
// words.
func searchDocs(w world, root *cobra.Command, args []string) error {
	registry := app.Registry()
	commands := slash.New(context.Background(), slash.Deps{Settings: settings.New(registry)}, w.shellCommands(nil)...)
	entries := slash.Entries(commands.All(), registry)
	for i := range entries {
		if key, isSetting := strings.CutPrefix(entries[i].Name, "/set "); isSetting {
			entries[i].Name = "setting " + key
		}
	}
	var add func(parent *cobra.Command)
	add = func(parent *cobra.Command) {
		for _, c := range parent.Commands() {
			if !c.Hidden {
				entries = append(entries, manual.Entry{Name: c.CommandPath(), Help: c.Short})
				add(c)
			}
		}
	}
	add(root)
	found := manual.Search(strings.Join(args, " "), entries, manual.Pages(docs.Files))
	if len(found.Entries)+len(found.Sections) == 0 {
		return usage(fmt.Errorf("nothing found for %q. To list the pages, run: agent docs", strings.Join(args, " ")))
	}
	var rows [][]string
	for _, entry := range found.Entries {
		rows = append(rows, []string{entry.Name, humanize.Line(entry.Help, 0)})
	}
	lines := table.Lines("ll", rows)
	for i, section := range found.Sections {
		if i > 0 {
			lines = append(lines, "See also: agent docs "+path.Base(section.Page)+" ("+section.Title+")")
			continue
		}
		if err := errors.Join(w.print(append(lines, "")...), printMarkdown(w, section.Text)); err != nil {
			return err
		}
		lines = []string{"", "Read more: agent docs " + path.Base(section.Page)}
	}
	return w.print(lines...)
}

// elsewhere maps commands of similar programs, and commands of a session, to the command for the same
// purpose here, or to "" if there is none.
var elsewhere = map[string]string{
	"auth": "agent login", "config": "agent settings", "exec": "agent -p PROMPT", "run": "agent -p PROMPT",
	"commands": "agent --help", "manual": "agent docs", "usage": "agent savings",
	"resume": "agent -c", "undo": "agent -c /undo", "redo": "agent -c /redo", "rewind": "agent -c /rewind", "stats": "agent -c /stats",
	"serve": "", "update": "", "upgrade": "",
}

// verbs are words that follow a command name in many programs.
var verbs = []string{"list", "ls", "show", "add", "remove", "rm", "help", "get", "new", "status"}

// mostMistyped is the greatest number of words that can be a mistyped command.
const mostMistyped = 3

// mistyped returns an error for a prompt that was probably meant as a command or as a topic of the
// documentation. Such a prompt would cost money and not help the user.
func mistyped(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) > mostMistyped || strings.ContainsAny(args[0], " \n/@!") {
		return nil
	}
	asked := strings.Join(args, " ")
	instead := ""
	switch meant, command := meantCommand(cmd, args[0]); {
	case len(args) > 1 && command != nil && isSubcommand(command, args[1]):
		instead = strings.Join(append([]string{meant}, args[1:]...), " ")
	case len(args) > 1:
		return nil
	case meant != "":
		instead = meant
	default:
		known, exists := elsewhere[args[0]]
		_, isTopic := manual.PageOf(manual.Pages(docs.Files), args[0])
		switch {
		case exists && known == "":
			return usage(fmt.Errorf("unknown command %q. For the commands, run: agent --help. To send the word to the model, run: agent -- %s", asked, asked))
		case exists:
			instead = known
		case isTopic:
			instead = "agent docs " + args[0]
		default:
			return nil
		}
	}
	return usage(fmt.Errorf("unknown command %q. Did you mean %s? To send the words to the model, run: agent -- %s", asked, instead, asked))
}

// meantCommand returns the command line and the command whose name is similar to a word, or nil if there is
// none. It skips a word that is only part of a name, such as "log" or "set".
func meantCommand(cmd *cobra.Command, word string) (line string, command *cobra.Command) {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	likely := suggest.Similar(word, names, 1)
	if len(likely) == 0 || strings.Contains(likely[0], word) && likely[0] != word+"s" {
		return "", nil
	}
	for _, c := range cmd.Commands() {
		if c.Name() == likely[0] {
			return "agent " + c.Name(), c
		}
	}
	return "", nil
}

// isSubcommand reports whether a word is similar to the name of a subcommand, or is a usual verb of
// commands.
func isSubcommand(command *cobra.Command, word string) bool {
	var names []string
	for _, c := range command.Commands() {
		names = append(names, c.Name())
	}
	return len(names) > 0 && (slices.Contains(verbs, word) || slices.Contains(names, word))
}

// describe adds to each command its group, its examples and the groups of its flags.
func describe(root *cobra.Command) {
	for _, group := range commandGroups {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(group.names), c.Name()) {
				c.GroupID = group.title
			}
		}
	}
	root.SetHelpCommandGroupID(commandGroups[0].title)
	root.SetCompletionCommandGroupID("Scripts")
	for line, examples := range commandExamples {
		c, rest, err := root.Find(strings.Fields(line)[1:])
		if err != nil || len(rest) > 0 {
			panic(errors.Join(err, errors.New("no command "+line)))
		}
		c.Example = "  " + strings.ReplaceAll(examples, "\n", "\n  ")
	}
	for _, group := range flagGroups {
		for name := range strings.FieldsSeq(group.names) {
			if f := root.Flags().Lookup(name); f != nil {
				cli.GroupFlag(f, group.title)
			}
		}
	}
}
