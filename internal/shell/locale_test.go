package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/shell"
)

// A line has the same meaning in every locale as in UTF-8: a backslash is never the second byte of
// a character.
func TestLinesMeanTheSameInEveryLocale(t *testing.T) {
	t.Parallel()
	for locale, kept := range map[string]bool{
		"zh_CN.gbk": false, "zh_CN.GB18030": false, "zh_TW.Big5": false, "zh_TW": false, "zh_HK.big5-hkscs": false, "ja_JP.SJIS": false, "ja_JP.Shift_JIS": false, "ko_KR.JOHAB": false, "ko_KR.cp949": false, "chinese-t": false, "x.y.z": false,
		"": true, "C": true, "POSIX": true, "C.UTF-8": true, "zh_TW.UTF-8": true, "ja_JP.utf8": true, "de_DE": true, "de_DE@euro": true, "de_DE.ISO-8859-15@euro": true, "ja_JP.eucJP": true, "ru_RU.KOI8-R": true,
	} {
		for _, name := range []string{"LANG", "LC_CTYPE", "LC_ALL"} {
			dir := t.TempDir()
			jobs := shell.NewJobs([]string{"PATH=" + os.Getenv("PATH"), name + "=" + locale}, nil)
			t.Cleanup(jobs.Close)
			for _, readOnly := range []bool{false, true} {
				result, err := jobs.Run(t.Context(), shell.Command{Line: "printf %s \"$" + name + "\"", Dir: dir, OutputBytes: 1000, ReadOnly: readOnly}, nil)
				if err != nil || (strings.Contains(result.Output, "C.UTF-8") || locale == "C.UTF-8") == (kept && locale != "C.UTF-8") {
					t.Errorf("%s=%s: %q, %v", name, locale, result.Output, err)
				}
			}
			// The locale may be missing. If it exists, bash would run the code.
			line := "echo \"你\\\" ; touch made #\"; echo \"ア\\\"; touch made #\""
			if _, err := jobs.Run(t.Context(), shell.Command{Line: line, Dir: dir, OutputBytes: 1000}, nil); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
				t.Errorf("%s=%s: the line ran what stands between its quotes", name, locale)
			}
		}
	}
}
