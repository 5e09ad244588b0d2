package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Language is a group of files that one server knows.
type Language struct {
	// Name is the name to show.
	Name string
	// Program is the server, looked up in PATH, and Args are its arguments.
	Program string
	Args    []string
	// Package names the software that has the program, for a hint how to install it.
	Package string

	// Partial is set if the server looks only into the files of a project and into open ones.
	Partial bool
	// grows is set if a second answer can have uses that the first one lacks, because the server learns
	// the types of a file while it answers.
	grows bool
	// Diagnoses is set if the server answers questions about the problems of a file.
	Diagnoses bool
	// Macros is set if definitions of macros have names that the server does not rename.
	Macros bool

	// files maps the endings of names to the language identifiers of the protocol.
	files map[string]string
	// projects lists names of files that describe a project. A change of one counts for the server.
	// If needsProject is set, the server finds other files only with one of them.
	projects     []string
	needsProject bool
	// settings are the settings of the server, by section, and options its options at the start.
	settings map[string]any
	options  func(program string) any
	// environ are the variables of the server. $CACHE stands for its cache folder.
	environ []string
}

// Languages returns the languages whose servers are known.
func Languages() []Language { return languages }

var languages = []Language{
	{
		Name: "Go", Program: "gopls", Package: "golang.org/x/tools/gopls",
		Diagnoses: true,
		files:     map[string]string{".go": "go"},
		projects:  []string{"go.mod", "go.sum", "go.work"},
		settings:  map[string]any{"gopls": goplsSettings},
		options:   func(string) any { return goplsSettings },
		environ: []string{
			"GOPROXY=off", "GOTOOLCHAIN=local", "GOSUMDB=off", "GOCACHE=$CACHE/go-build", "GOPLSCACHE=$CACHE/gopls", "GOTELEMETRY=off",
		},
	},
	{
		Name: "TypeScript", Program: "typescript-language-server", Args: []string{"--stdio"}, Package: "typescript-language-server and typescript",
		Partial: true,
		files: map[string]string{
			".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
			".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
		},
		projects: []string{"tsconfig.json", "jsconfig.json", "package.json"},
		options: func(program string) any {
			// The workspace must not name the compiler that runs, and nothing is downloaded.
			return map[string]any{"disableAutomaticTypingAcquisition": true, "tsserver": map[string]any{"path": besides(program, "typescript/lib/tsserver.js")}}
		},
	},
	{
		Name: "Python", Program: "pyright-langserver", Args: []string{"--stdio"}, Package: "pyright",
		Partial: true, grows: true, Diagnoses: true,
		files:    map[string]string{".py": "python", ".pyi": "python"},
		projects: []string{"pyproject.toml", "pyrightconfig.json"},
		settings: map[string]any{"python": map[string]any{"analysis": pyrightSettings}, "python.analysis": pyrightSettings},
	},
	{
		Name: "C and C++", Program: "clangd", Args: []string{"--log=error", "--background-index", "--enable-config=0"}, Package: "clangd",
		Macros: true,
		files: map[string]string{
			".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
		},
		projects: []string{"compile_commands.json"}, needsProject: true,
	},
}

var (
	goplsSettings   = map[string]any{"hoverKind": "SynopsisDocumentation", "linksInHover": false, "analysisProgressReporting": false, "pullDiagnostics": true}
	pyrightSettings = map[string]any{"diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true}
)

// besides returns the path of a file of a package that is installed beside the package of a program,
// "" if there is none.
func besides(program, file string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(real); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "node_modules", filepath.FromSlash(file))
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}

// Of returns the language of a file.
func Of(path string) (Language, bool) {
	for _, l := range languages {
		if l.Has(path) {
			return l, true
		}
	}
	return Language{}, false
}

// Has reports whether a file is of the language.
func (l Language) Has(path string) bool {
	_, known := l.files[strings.ToLower(filepath.Ext(path))]
	return known
}

// IsProject reports whether a file describes a project of the language.
func (l Language) IsProject(path string) bool {
	return slices.Contains(l.projects, filepath.Base(path))
}

// Serves reports whether files have at least so many of the language, and the project without which
// its server finds no other files.
func (l Language) Serves(files []string, least int) bool {
	count, project := 0, !l.needsProject
	for _, file := range files {
		if l.Has(file) {
			count++
		}
		project = project || l.IsProject(file)
	}
	return count >= least && project
}

// concerns reports whether the server has to know that a file changed.
func (l Language) concerns(path string) bool {
	return l.Has(path) || l.IsProject(path)
}
