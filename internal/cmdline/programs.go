package cmdline

import (
	"sync"

	"agent/internal/base/lazyregexp"
)

// A readOnlyProgram describes a program that changes nothing: its harmless options and its other
// words. No listed program or option may write, run a program, follow symlinks below a folder, read
// a list of files, or wait forever. It may open no file by another name than its operand, as unzip
// does with patterns and added suffixes.
type readOnlyProgram struct {
	// flags holds the one-letter options. valued holds the one-letter options with an attached
	// value (-n5) that is not a path.
	flags, valued string
	// value matches an attached value.
	value *lazyregexp.Pattern
	// number allows a number as an option (-20).
	number bool
	// long lists long options without their dashes, with "=" if a value follows.
	long []string
	// words lists options of several letters after a single dash.
	words []string
	// max limits the number of operands.
	max int
	// first must match the first operand.
	first *lazyregexp.Pattern
	// never must match no operand.
	never *lazyregexp.Pattern
	// each must match every operand, and there must be at least one operand.
	each *lazyregexp.Pattern
	// operandsOnlyLook reports whether all operands together are harmless. If it is nil, they are.
	operandsOnlyLook func(operands []Word) bool
	// script means that the first operand, which must match first, is a script for the program and
	// not a path. A program with this field may have no option whose value is a separate word.
	// Otherwise the program could run another word as its script, which would not be checked.
	script bool
	// filesOnly means that operands must be files, because the program would read further files in
	// a folder.
	filesOnly bool
	// namesOnly means that no operand is a path.
	namesOnly bool
	// anyWords means that any arguments are harmless.
	anyWords bool
}

// sedScript matches scripts that only print, delete and replace lines. They name no file and no
// program. The text between slashes contains no slash, and every bracket of a regular expression is
// closed within it. So all versions of sed find the same end of the text. In some versions a slash
// between brackets does not end the text.
var sedScript = sync.OnceValue(func() *lazyregexp.Pattern {
	const (
		listed  = `(?:[^\][/\\\n]|\\[^\]/\n]|\[:[a-z]+:\]|\[[^:.=\][/\\\n])`
		first   = `(?:[^\][/\\\n^]|\\[^\]/\n]|\[:[a-z]+:\]|\[[^:.=\][/\\\n])`
		bracket = `\[(?:\^(?:\]` + listed + `*|` + listed + `+|\[)|\]` + listed + `*|` + first + listed + `*|\[)\]`
		regular = `/(?:[^[/\\\n]|\\[^/\n]|` + bracket + `)*`
		text    = `/(?:[^/\\\n]|\\[^/\n])*`
		address = `(?:\d+|\$|` + regular + `/)`
		command = `(?:` + address + `(?:,(?:\+?\d+|\$|` + regular + `/))?)?(?:[pdq=]|s` + regular + text + `/[gpI0-9]*)`
	)
	return lazyregexp.New(`^` + command + `(?:; ?` + command + `)*$`)
})

// awkScript matches scripts that print fields or select lines by their number.
var awkScript = lazyregexp.New(`^(?:(?:NR *(?:==|>=|<=|>|<) *\d+(?: *&& *NR *(?:==|>=|<=|>|<) *\d+)?)? *(?:\{ *print(?: +\$(?:\d+|NF)(?: *, *\$(?:\d+|NF))*)? *\})?)$`)

// jqScript matches simple paths into a document.
var jqScript = lazyregexp.New(`^(?:\.|(?:\.[A-Za-z_]\w*|\.?\[\d*\]|\."[\w -]+")+)(?: *\| *(?:keys|length|type))?$`)

// shortTime matches a short time in seconds. few matches a small number for seq.
var (
	shortTime = lazyregexp.New(`^\d{1,2}(?:\.\d+)?$`)
	few       = lazyregexp.New(`^\d{1,5}$`)
)

// tests lists the shell's tests of files and texts. It excludes -v, because -v evaluates its
// argument.
var tests = []string{"-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-z", "-n"}

// ownSettings matches git's settings that contain no password.
var ownSettings = lazyregexp.New(`^(?:user\.(?:name|email)|init\.defaultBranch|core\.\w+|pull\.\w+|branch\.[\w/-]+\.(?:remote|merge))$`)

// amount matches a number of lines or bytes.
var amount = lazyregexp.New(`^[+-]?\d+[bkKMG]?B?$`)

// unlimited is the value of readOnlyProgram.max for any number of operands.
const unlimited = -1

var gitDiffOptions = []string{
	"cached", "staged", "stat", "stat=", "numstat", "shortstat", "summary", "name-only", "name-status",
	"patch", "no-patch", "unified=", "word-diff", "word-diff=", "color", "color=", "no-color",
	"ignore-all-space", "ignore-space-change", "ignore-blank-lines", "no-renames", "find-renames",
	"diff-filter=", "compact-summary", "no-ext-diff", "no-textconv", "minimal", "patience", "histogram", "check",
	"exit-code", "quiet", "full-index", "merge-base",
}

var gitLogOptions = append([]string{
	"oneline", "graph", "all", "decorate", "decorate=", "no-decorate", "format=", "pretty", "pretty=",
	"since=", "until=", "after=", "before=", "author=", "committer=", "grep=", "max-count=", "skip=",
	"follow", "merges", "no-merges", "first-parent", "reverse", "abbrev-commit", "date=", "branches",
	"tags", "remotes", "relative-date", "topo-order", "date-order", "author-date-order", "left-right", "cherry-pick", "cherry-mark", "boundary", "full-history",
}, gitDiffOptions...)

var grepOptions = []string{
	"ignore-case", "invert-match", "word-regexp", "line-regexp", "count", "files-with-matches",
	"files-without-match", "line-number", "with-filename", "no-filename", "only-matching", "quiet",
	"recursive", "extended-regexp", "fixed-strings", "perl-regexp", "include=", "exclude=",
	"include", "exclude", "exclude-dir", "exclude-dir=", "max-count=", "context=", "after-context=", "before-context=", "color=", "text",
}

// listing describes commands that list branches or tags.
var listing = readOnlyProgram{flags: "avr", max: unlimited, long: []string{"all", "remotes", "verbose", "list", "contains", "merged", "no-merged", "sort="}}

// readOnlyPrograms returns the programs that change nothing, by name and subcommand.
var readOnlyPrograms = sync.OnceValue(func() map[string]readOnlyProgram {
	return map[string]readOnlyProgram{
		"true":       {anyWords: true, namesOnly: true},
		"false":      {anyWords: true, namesOnly: true},
		"echo":       {anyWords: true, namesOnly: true},
		"pwd":        {flags: "LP"},
		"whoami":     {},
		"hostname":   {},
		"nproc":      {long: []string{"all"}},
		"uname":      {flags: "asnrvmpio"},
		"date":       {flags: "uR", max: 1, never: lazyregexp.New(`^([^+]|$)`), namesOnly: true},
		"id":         {flags: "ugGnr", max: 1, namesOnly: true},
		"arch":       {},
		"uptime":     {flags: "p"},
		"free":       {flags: "hbkmg"},
		"lscpu":      {},
		"tty":        {},
		"seq":        {max: 3, each: few, namesOnly: true},
		"sleep":      {max: 1, each: shortTime, namesOnly: true},
		"printf":     {max: unlimited, operandsOnlyLook: printfOnlyPrints, namesOnly: true},
		"test":       {words: tests, max: unlimited},
		"[":          {words: tests, max: unlimited},
		"command -v": {max: unlimited, namesOnly: true},
		"which":      {flags: "a", max: unlimited, namesOnly: true},
		"type":       {flags: "apt", max: unlimited, namesOnly: true},
		"basename":   {max: unlimited, namesOnly: true},
		"dirname":    {max: unlimited, namesOnly: true},
		"tr":         {flags: "cds", max: 2, namesOnly: true},

		"ls": {flags: "1aAlhrtSRFdGisnpogUXkcuv", max: unlimited, long: []string{
			"all", "almost-all", "human-readable", "recursive", "reverse", "directory", "sort=", "time=",
			"time-style=", "color", "color=", "size", "inode", "classify", "group-directories-first",
		}},
		// The values of -L, -I and -P are separate words; letters after these options are options
		// too.
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
		// In the old syntax, "+5f" is an option that sets the first line and waits for more output.
		"tail": {flags: "qv", valued: "nc", value: amount, number: true, max: unlimited, long: []string{"lines=", "bytes="}, never: lazyregexp.New(`^\+.*f`)},
		"wc":   {flags: "lwcmL", max: unlimited, long: []string{"lines", "words", "bytes", "chars"}},
		"nl":   {valued: "bw", max: unlimited},
		"od":   {flags: "cxb", valued: "ANtj", max: unlimited},
		"cut":  {flags: "s", valued: "dfcb", max: unlimited},
		"sort": {flags: "nrufbdghMVc", valued: "kt", max: unlimited},
		"uniq": {flags: "cdui", valued: "fsw", max: 1},
		"cmp":  {flags: "sl", max: 2},
		"sed":  {flags: "nE", max: unlimited, first: sedScript(), script: true},
		"awk":  {valued: "F", max: unlimited, first: awkScript, script: true},
		"jq":   {flags: "rceSM", max: unlimited, first: jqScript, script: true},
		// -r is excluded because it follows links.
		"diff":      {flags: "uqwbBiaysNc", valued: "U", max: 2, filesOnly: true, long: []string{"unified", "unified=", "brief", "side-by-side", "ignore-all-space", "ignore-space-change", "color", "color="}},
		"comm":      {flags: "123", max: 2},
		"paste":     {flags: "s", valued: "d", max: unlimited},
		"join":      {max: 2},
		"column":    {flags: "t", valued: "s", max: unlimited},
		"fold":      {flags: "s", valued: "w", max: unlimited},
		"fmt":       {valued: "w", max: unlimited},
		"expand":    {valued: "t", max: unlimited},
		"rev":       {max: unlimited},
		"base64":    {flags: "d", valued: "w", max: 1},
		"hexdump":   {flags: "Cbcdovx", valued: "ns", max: unlimited},
		"xxd":       {flags: "bpu", valued: "lsc", max: 1}, // xxd writes to a second file
		"sha1sum":   {max: unlimited},
		"sha512sum": {max: unlimited},
		"cksum":     {max: unlimited},

		"grep":  {flags: "irnvwxclLHhoqsEFPGabI", valued: "ABCme", number: true, max: unlimited, long: grepOptions},
		"egrep": {flags: "irnvwxclLHhoqsabI", valued: "ABCme", number: true, max: unlimited, long: grepOptions},
		"fgrep": {flags: "irnvwxclLHhoqsabI", valued: "ABCme", number: true, max: unlimited, long: grepOptions},
		"rg": {flags: "inNsSvwxclhHoFUPuI.", valued: "ABCmegtTdrj", max: unlimited, long: []string{
			"ignore-case", "smart-case", "case-sensitive", "line-number", "no-line-number", "files",
			"files-with-matches", "files-without-match", "count", "count-matches", "hidden", "no-ignore",
			"glob=", "iglob=", "type=", "type-not=", "type-list", "fixed-strings", "word-regexp",
			"invert-match", "only-matching", "multiline", "json", "stats", "max-count=", "max-depth=",
			"context=", "after-context=", "before-context=", "sort=", "heading", "no-heading", "color=",
			"no-filename", "with-filename", "replace=", "glob", "iglob", "type", "type-not", "max-depth", "max-count", "context",
		}},
		"find": {number: true, max: unlimited, words: []string{
			"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-maxdepth",
			"-mindepth", "-depth", "-size", "-empty", "-mtime", "-mmin", "-newer", "-perm", "-user", "-group",
			"-readable", "-writable", "-executable", "-xdev", "-prune", "-print", "-print0", "-printf", "-ls",
			"-not", "-a", "-and", "-o", "-or", "-true", "-false",
		}},

		"go version": {},
		"go help":    {max: unlimited, namesOnly: true},
		// go runs the C compiler to find the values of other variables.
		"go env": {max: unlimited, namesOnly: true, each: lazyregexp.New(`^GO(ARCH|BIN|CACHE|ENV|EXE|FLAGS|HOSTARCH|HOSTOS|MOD|MODCACHE|NOPROXY|NOSUMDB|OS|PATH|PRIVATE|PROXY|ROOT|SUMDB|TMPDIR|TOOLCHAIN|TOOLDIR|VERSION|WORK)$`)},

		"git status": {flags: "sb", valued: "u", max: unlimited, long: []string{
			"short", "branch", "porcelain", "porcelain=",
			"untracked-files", "untracked-files=", "ignored", "long",
		}},
		"git diff":   {flags: "pwbuRM", valued: "USG", max: unlimited, long: gitDiffOptions},
		"git log":    {flags: "pwbuiM", valued: "nUSGL", number: true, max: unlimited, long: gitLogOptions},
		"git show":   {flags: "pwbusM", valued: "nUSG", number: true, max: unlimited, long: gitLogOptions},
		"git blame":  {flags: "wMCsefl", valued: "L", max: unlimited},
		"git grep":   {flags: "inlcwEFvhHoP", valued: "ABCe", max: unlimited},
		"git branch": {flags: "avr", long: []string{"all", "remotes", "verbose", "list", "show-current"}},
		"git tag":    {flags: "l", long: []string{"list", "sort="}},
		"git remote": {flags: "v", long: []string{"verbose"}},
		// After one of these options, names are patterns, or branches to compare with.
		"git branch --list":      listing,
		"git branch --contains":  listing,
		"git branch --merged":    listing,
		"git branch --no-merged": listing,
		"git tag --list":         listing,
		"git tag -l":             listing,
		"git remote get-url":     {max: 1, namesOnly: true},
		"git stash list":         {},
		"git worktree list":      {long: []string{"porcelain"}},
		"git version":            {},
		"git --version":          {},
		"git config":             {max: 1, namesOnly: true, each: ownSettings, long: []string{"get"}},
		"git shortlog":           {flags: "sne", max: unlimited, long: []string{"all", "no-merges", "since=", "until="}},
		"git merge-base":         {max: unlimited, long: []string{"all", "is-ancestor"}},
		"git name-rev":           {max: unlimited, long: []string{"name-only", "tags"}},
		"git show-ref":           {max: unlimited, flags: "ds", long: []string{"tags", "heads", "head", "dereference"}},
		"git for-each-ref":       {max: unlimited, long: []string{"format=", "sort=", "count="}},
		"git symbolic-ref":       {flags: "q", max: 1, long: []string{"short"}},
		"git count-objects":      {flags: "vH"},
		"git check-ignore":       {flags: "vn", max: unlimited},
		"git reflog":             {number: true},
		"git rev-parse":          {max: unlimited, long: []string{"show-toplevel", "show-prefix", "abbrev-ref", "short", "verify", "is-inside-work-tree", "git-dir"}},
		"git rev-list":           {valued: "n", number: true, max: unlimited, long: []string{"count", "all", "max-count="}},
		"git ls-files":           {flags: "cdmoz", max: unlimited, long: []string{"cached", "deleted", "modified", "others", "exclude-standard"}},
		"git ls-tree":            {flags: "rdtlz", max: unlimited, long: []string{"name-only", "full-tree"}},
		"git describe":           {max: unlimited, long: []string{"tags", "always", "long", "abbrev="}},
		"git cat-file":           {flags: "pts", max: 2},
	}
})
