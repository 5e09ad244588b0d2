package cmdline

import (
	"sync"

	"agent/internal/pattern"
)

// readOnlyProgram describes a program that changes nothing: which of its options
// are harmless and what its other words are. Nothing that is listed may write, run
// a program, follow symlinks it meets, read a list of files, or wait for ever.
type readOnlyProgram struct {
	// flags are one-letter options; valued are those with a value attached (-n5)
	// that is not a path.
	flags, valued string
	// value is what an attached value must look like.
	value *pattern.Pattern
	// number allows a number as an option (-20).
	number bool
	// long are long options without their dashes, with "=" where a value follows.
	long []string
	// words are options of several letters behind a single dash.
	words []string
	// max is how many operands there may be.
	max int
	// first is what the first operand must look like.
	first *pattern.Pattern
	// never is what no operand may look like.
	never *pattern.Pattern
	// each is what every operand must look like, of which there must be one.
	each *pattern.Pattern
	// namesOnly means that operands are never paths.
	namesOnly bool
	// anyWords means that whatever follows is harmless.
	anyWords bool
}

// amount is a number of lines or bytes.
var amount = pattern.New(`^[+-]?\d+[bkKMG]?B?$`)

// unlimited is for readOnlyProgram.max.
const unlimited = -1

var gitDiffOptions = []string{
	"cached", "staged", "stat", "stat=", "numstat", "shortstat", "summary", "name-only", "name-status",
	"patch", "no-patch", "unified=", "word-diff", "word-diff=", "color", "color=", "no-color",
	"ignore-all-space", "ignore-space-change", "ignore-blank-lines", "no-renames", "find-renames",
	"diff-filter=", "no-ext-diff", "no-textconv", "minimal", "patience", "histogram", "check",
	"exit-code", "quiet", "full-index", "merge-base",
}

var gitLogOptions = append([]string{
	"oneline", "graph", "all", "decorate", "decorate=", "no-decorate", "format=", "pretty", "pretty=",
	"since=", "until=", "after=", "before=", "author=", "committer=", "grep=", "max-count=", "skip=",
	"follow", "merges", "no-merges", "first-parent", "reverse", "abbrev-commit", "date=", "branches",
	"tags", "remotes", "relative-date",
}, gitDiffOptions...)

var grepOptions = []string{
	"ignore-case", "invert-match", "word-regexp", "line-regexp", "count", "files-with-matches",
	"files-without-match", "line-number", "with-filename", "no-filename", "only-matching", "quiet",
	"recursive", "extended-regexp", "fixed-strings", "perl-regexp", "include=", "exclude=",
	"exclude-dir=", "max-count=", "context=", "after-context=", "before-context=", "color=", "text",
}

// readOnlyPrograms are the programs that change nothing, by name and subcommand.
var readOnlyPrograms = sync.OnceValue(func() map[string]readOnlyProgram {
	return map[string]readOnlyProgram{
		"true":     {anyWords: true, namesOnly: true},
		"false":    {anyWords: true, namesOnly: true},
		"echo":     {anyWords: true, namesOnly: true},
		"pwd":      {flags: "LP"},
		"whoami":   {},
		"hostname": {},
		"nproc":    {long: []string{"all"}},
		"uname":    {flags: "asnrvmpio"},
		"date":     {flags: "uR", max: 1, first: pattern.New(`^\+`), namesOnly: true},
		"which":    {flags: "a", max: unlimited, namesOnly: true},
		"type":     {flags: "apt", max: unlimited, namesOnly: true},
		"basename": {max: unlimited, namesOnly: true},
		"dirname":  {max: unlimited, namesOnly: true},
		"tr":       {flags: "cds", max: 2, namesOnly: true},

		"ls": {flags: "1aAlhrtSRFdGisnpogUXkcuv", max: unlimited, long: []string{
			"all", "almost-all", "human-readable", "recursive", "reverse", "directory", "sort=", "time=",
			"time-style=", "color", "color=", "size", "inode", "classify", "group-directories-first",
		}},
		// The values of -L, -I and -P are words of their own; letters behind them are
		// options.
		"tree": {flags: "adfihsDCFpnLIP", max: unlimited, long: []string{
			"dirsfirst", "noreport", "gitignore", "prune",
		}},
		"stat":      {flags: "t", valued: "c", max: unlimited, long: []string{"format=", "printf=", "terse"}},
		"file":      {flags: "bi", max: unlimited, long: []string{"brief", "mime", "mime-type"}},
		"du":        {flags: "shackb", valued: "d", max: unlimited, long: []string{"summarize", "human-readable", "max-depth=", "all"}},
		"df":        {flags: "hTik", max: unlimited},
		"readlink":  {flags: "fem", max: unlimited},
		"realpath":  {flags: "ems", max: unlimited},
		"sha256sum": {max: unlimited},
		"md5sum":    {max: unlimited},

		"cat":  {flags: "nbsETAvet", max: unlimited},
		"head": {flags: "qv", valued: "nc", value: amount, number: true, max: unlimited, long: []string{"lines=", "bytes="}},
		// Of old, "+5f" is no name but says where to begin, and to wait for more.
		"tail": {flags: "qv", valued: "nc", value: amount, number: true, max: unlimited, long: []string{"lines=", "bytes="}, never: pattern.New(`^\+.*f`)},
		"wc":   {flags: "lwcmL", max: unlimited, long: []string{"lines", "words", "bytes", "chars"}},
		"nl":   {valued: "bw", max: unlimited},
		"od":   {flags: "cxb", valued: "ANtj", max: unlimited},
		"cut":  {flags: "s", valued: "dfcb", max: unlimited},
		"sort": {flags: "nrufbdghMVc", valued: "kt", max: unlimited},
		"uniq": {flags: "cdui", valued: "fsw", max: 1},
		"cmp":  {flags: "sl", max: 2},
		"sed":  {flags: "nE", max: unlimited, first: pattern.New(`^\d+(,(\d+|\$))?p$`)},

		"grep":  {flags: "irnvwxclLHhoqsEFPGabI", valued: "ABCme", number: true, max: unlimited, long: grepOptions},
		"egrep": {flags: "irnvwxclLHhoqsabI", valued: "ABCme", number: true, max: unlimited, long: grepOptions},
		"fgrep": {flags: "irnvwxclLHhoqsabI", valued: "ABCme", number: true, max: unlimited, long: grepOptions},
		"rg": {flags: "inNsSvwxclhHoFUPuI.", valued: "ABCmegtTdrj", max: unlimited, long: []string{
			"ignore-case", "smart-case", "case-sensitive", "line-number", "no-line-number", "files",
			"files-with-matches", "files-without-match", "count", "count-matches", "hidden", "no-ignore",
			"glob=", "iglob=", "type=", "type-not=", "type-list", "fixed-strings", "word-regexp",
			"invert-match", "only-matching", "multiline", "json", "stats", "max-count=", "max-depth=",
			"context=", "after-context=", "before-context=", "sort=", "heading", "no-heading", "color=",
			"no-filename", "with-filename", "replace=",
		}},
		"find": {max: unlimited, words: []string{
			"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-maxdepth",
			"-mindepth", "-depth", "-size", "-empty", "-mtime", "-mmin", "-newer", "-perm", "-user", "-group",
			"-readable", "-writable", "-executable", "-xdev", "-prune", "-print", "-print0", "-printf", "-ls",
			"-not", "-a", "-and", "-o", "-or", "-true", "-false",
		}},

		"go version": {},
		// Others it finds out by running the C compiler.
		"go env": {max: unlimited, namesOnly: true, each: pattern.New(`^GO(ARCH|BIN|CACHE|ENV|EXE|FLAGS|HOSTARCH|HOSTOS|MOD|MODCACHE|NOPROXY|NOSUMDB|OS|PATH|PRIVATE|PROXY|ROOT|SUMDB|TMPDIR|TOOLCHAIN|TOOLDIR|VERSION|WORK)$`)},

		"git status": {flags: "sb", valued: "u", max: unlimited, long: []string{
			"short", "branch", "porcelain", "porcelain=",
			"untracked-files", "untracked-files=", "ignored", "long",
		}},
		"git diff":      {flags: "pwbuRM", valued: "USG", max: unlimited, long: gitDiffOptions},
		"git log":       {flags: "pwbuiM", valued: "nUSGL", number: true, max: unlimited, long: gitLogOptions},
		"git show":      {flags: "pwbusM", valued: "nUSG", number: true, max: unlimited, long: gitLogOptions},
		"git blame":     {flags: "wMCsefl", valued: "L", max: unlimited},
		"git grep":      {flags: "inlcwEFvhHoP", valued: "ABCe", max: unlimited},
		"git branch":    {flags: "avr", long: []string{"all", "remotes", "verbose", "list", "show-current"}},
		"git tag":       {flags: "l", long: []string{"list"}},
		"git remote":    {flags: "v", long: []string{"verbose"}},
		"git reflog":    {number: true},
		"git rev-parse": {max: unlimited, long: []string{"show-toplevel", "show-prefix", "abbrev-ref", "short", "verify", "is-inside-work-tree", "git-dir"}},
		"git rev-list":  {valued: "n", number: true, max: unlimited, long: []string{"count", "all", "max-count="}},
		"git ls-files":  {flags: "cdmoz", max: unlimited, long: []string{"cached", "deleted", "modified", "others", "exclude-standard"}},
		"git ls-tree":   {flags: "rdtlz", max: unlimited, long: []string{"name-only", "full-tree"}},
		"git describe":  {max: unlimited, long: []string{"tags", "always", "long", "abbrev="}},
		"git cat-file":  {flags: "pts", max: 2},
	}
})
