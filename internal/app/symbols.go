package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"agent/internal/history"
	"agent/internal/lsp"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// symbols provides the language servers of a workspace to the model.
type symbols struct {
	at     *place
	folder *lsp.Folder
	// counted returns the result of count, which runs once.
	counted func() int
}

// leastFiles is the number of source files from which the tool is offered. In a smaller workspace,
// searches cost less than the definition of the tool.
const leastFiles = 30

// newSymbols returns the language servers of a conversation. It starts to count the source files
// while the other parts are created.
func newSymbols(at *place, rec *record, confined confinement, ends *closers) *symbols {
	s := &symbols{at: at}
	s.folder = at.process.languageServers.Open(lsp.Config{
		Root: at.workspace.Root(), Environ: confined.environ, Confined: confined.now, Cache: at.process.cacheFolder(at.workspace.Root()),
		Files: func(ctx context.Context, keep func(string) bool) ([]string, error) {
			return filesOf(ctx, at.workspace, keep)
		},
		Started: func(line string, confined sandbox.Confinement) {
			rec.acts.did("language server", history.Effect{Ran: line, Profile: confined.Label(sandbox.ProfileReadOnly)})
		},
	})
	counting, stop := context.WithCancel(context.Background())
	s.counted = sync.OnceValue(func() int { return s.count(counting) })
	var running sync.WaitGroup
	if s.setting() != settings.ServersOff {
		running.Go(func() { s.counted() })
	}
	ends.add(func() error { stop(); running.Wait(); s.folder.Close(); return nil })
	return s
}

// filesOf returns the absolute paths of the files of a workspace that git does not ignore.
func filesOf(ctx context.Context, w *workspace.Workspace, keep func(string) bool) ([]string, error) {
	base, files, err := w.Files(ctx, w.Root(), keep)
	for i, file := range files {
		files[i] = filepath.Join(base, filepath.FromSlash(file))
	}
	return files, err
}

func (s *symbols) setting() string { return settings.LanguageServers.Value(s.at.settings) }

// count returns the number of files of that language with a server which has most. A server runs
// code that a repository names, such as compiler plugins, so without a sandbox it returns 0.
func (s *symbols) count(ctx context.Context) (most int) {
	found := s.folder.Installed()
	if len(found) == 0 || s.folder.Cache == "" || settings.Sandbox.Value(s.at.settings) == settings.SandboxOff {
		return 0
	}
	// This does not use the sandbox policy of the conversation, because computing it creates the
	// temporary folder.
	if confined := (sandbox.Confinement{Sandbox: sandbox.Detect()}); !confined.Guarantees(sandbox.ProfileReadOnly).Files {
		return 0
	}
	files, _ := s.folder.Files(ctx, isAny) // if they cannot be listed, there are none
	for _, lang := range found {
		most = max(most, lang.Count(files))
	}
	return most
}

func isAny(string) bool { return true }

// isSymbol reports whether a name is the name of a language server tool.
func isSymbol(name string) bool { return name == tools.SymbolName || name == tools.RenameName }

// offered reports whether the tools are offered, because they save more than they cost or the
// setting requires them.
func (s *symbols) offered() bool {
	switch s.setting() {
	case settings.ServersOff:
		return false
	case settings.ServersOn:
		return s.counted() > 0
	}
	return s.counted() >= leastFiles
}

// offerRevision returns a text that changes whenever the result of offered changes.
func (s *symbols) offerRevision() string {
	if s.offered() {
		return " symbol"
	}
	return ""
}

// source returns the source of the language server tools. The source is empty if the tools would
// cost more than they save.
func (s *symbols) source() tools.Source {
	return tools.Source{
		Revision: func() uint64 { return uint64(len(s.offerRevision())) },
		List: func() []tools.Tool {
			if !s.offered() {
				return nil
			}
			return []tools.Tool{tools.SymbolTool(s.folder), tools.RenameTool(s.folder)}
		},
	}
}

// served reports whether a language server can find the problems in a file of the workspace.
func (s *symbols) served(file string) bool {
	lang, known := lsp.LanguageOf(file)
	if !known || !lang.Diagnoses || s.setting() == settings.ServersOff || s.counted() == 0 {
		return false
	}
	_, err := lsp.Find(lang, s.folder.Root, s.folder.Environ())
	return err == nil
}

// problems returns the problems in a file of the workspace, as FILE:LINE: TEXT. A missing file has
// none. It also returns an error if the answer may be incomplete or outdated.
func (s *symbols) problems(ctx context.Context, file string) ([]string, error) {
	path := filepath.Join(s.folder.Root, file)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	found, err := s.folder.Ask(ctx, lsp.Problems, lsp.SymbolPosition{Path: path})
	for i, p := range found.Problems {
		found.Problems[i] = file + ":" + p
	}
	if len(found.Notes) > 0 {
		err = errors.New(found.Notes[0])
	}
	return found.Problems, err
}

// LanguageServers returns the language servers that are installed for the files of a workspace, and
// the names of the missing ones.
func LanguageServers(ctx context.Context, root string, environ []string) (found, missing []string) {
	w, err := workspace.New(root, "")
	if err != nil {
		return nil, nil
	}
	files, _ := filesOf(ctx, w, isAny) // if they cannot be listed, there are none
	for _, lang := range lsp.Languages {
		if lang.Count(files) < leastFiles {
			continue
		}
		if program, err := lsp.Find(lang, root, environ); err == nil {
			found = append(found, lang.Name+" ("+program+")")
		} else {
			missing = append(missing, lang.Name+": "+err.Error())
		}
	}
	return found, missing
}
