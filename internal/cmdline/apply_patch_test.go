package cmdline_test

import (
	"testing"

	"agent/internal/cmdline"
)

// A patch that arrives as a command line is a call of the tool (model-fit 4). Anything else in the
// line makes it a normal command.
func TestPatchesInCommands(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\n*** Add File: a\n+it's $HOME and `x` \\n\n*** End Patch\n"
	for line, want := range map[string][2]string{
		"apply_patch <<'EOF'\n" + patch + "EOF":                                                          {"", patch},
		"applypatch << \"PATCH\"\n" + patch + "PATCH\n":                                                  {"", patch},
		"apply_patch <<EOF\n" + patch + "EOF\n":                                                          {"", patch},
		"apply_patch <<EOF\n*** Begin Patch\n+an odd ` and $( here\n*** End Patch\nEOF":                  {"", "*** Begin Patch\n+an odd ` and $( here\n*** End Patch\n"},
		"apply_patch <<-EOF\n\t*** Begin Patch\n\t+\tx\n\tEOF\n":                                         {"", "*** Begin Patch\n+\tx\n"},
		"cd sub/dir && apply_patch <<'EOF'\n" + patch + "EOF":                                            {"sub/dir", patch},
		"cd 'a b' && apply_patch <<EOF\n+x\nEOF":                                                         {"a b", "+x\n"},
		"apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'":                               {"", "*** Begin Patch\n*** Delete File: a\n*** End Patch"},
		"apply_patch \"*** Begin Patch\n+\\\"\\$x\\\"\n*** End Patch\"":                                  {"", "*** Begin Patch\n+\"$x\"\n*** End Patch"},
		"bash -lc 'apply_patch <<EOF\n*** Begin Patch\n+$x\n*** End Patch\nEOF'":                         {"", "*** Begin Patch\n+$x\n*** End Patch\n"},
		"sh -c 'apply_patch <<EOF\n+x\nEOF'":                                                             {"", "+x\n"},
		"apply_patch <<'EOF'\n\t+x\nEOF":                                                                 {"", "\t+x\n"},
		"cd a && bash -c 'cd /b && apply_patch p'":                                                       {"/b", "p"},
		"bash -c 'cd x/../y && apply_patch p'":                                                           {"x/../y", "p"},
		"cd x/../y && bash -c 'apply_patch p'":                                                           {"x/../y", "p"},
		"cd a && /bin/bash -l -c 'cd b && apply_patch <<\"EOF\"\n*** Begin Patch\n*** End Patch\nEOF\n'": {"a/b", "*** Begin Patch\n*** End Patch\n"},
	} {
		dir, got, ok := cmdline.Read(line).ParseApplyPatch()
		if !ok || dir != want[0] || got != want[1] {
			t.Errorf("%q: %q in %q, %v", line, got, dir, ok)
		}
	}
	for line, applies := range map[string]bool{
		"apply_patch <<'EOF' && rm x\n" + patch + "EOF":    true,
		"apply_patch <<'EOF' > out\n" + patch + "EOF":      true,
		"rm x; apply_patch <<'EOF'\n" + patch + "EOF":      true,
		"rm -r x && apply_patch <<'EOF'\n" + patch + "EOF": true,
		"cd - && apply_patch <<'EOF'\n" + patch + "EOF":    true,
		"cat p | apply_patch":                              true,
		"apply_patch <<'EOF'\n" + patch + "EOF\nrm x":      true,
		"apply_patch 'x": true,
		"cd a && apply_patch <<'EOF' &\n" + patch + "EOF":   true,
		"cd a || apply_patch <<'EOF'\n" + patch + "EOF":     true,
		"echo x && apply_patch <<'EOF'\n" + patch + "EOF":   true,
		"! apply_patch <<'EOF'\n" + patch + "EOF":           true,
		"apply_patch x <<'EOF'\n" + patch + "EOF":           true,
		"apply_patch 3<<'EOF'\n" + patch + "EOF":            true,
		"apply_patch <<< x":                                 true,
		"foo -c 'apply_patch <<EOF\n+x\nEOF'":               false,
		"apply_patch < p":                                   true,
		"apply_patch":                                       true,
		"apply_patch p q":                                   true,
		"apply_patch \"$(cat p)\"":                          true,
		"! apply_patch 'x'":                                 true,
		"X=1 apply_patch <<'EOF'\n" + patch + "EOF":         true,
		"apply_patch <<'EOF' &\n" + patch + "EOF":           true,
		"echo apply_patch":                                  false,
		"grep -rn apply_patch .":                            false,
		"cat <<'EOF'\napply_patch x\nEOF":                   false,
		"bash -lc 'rm x && apply_patch <<EOF\n+x\nEOF\n' y": false,
		"bash -x -c 'apply_patch <<EOF\n+x\nEOF\n'":         false,
	} {
		if _, _, ok := cmdline.Read(line).ParseApplyPatch(); ok || cmdline.Read(line).RunsApplyPatch() != applies {
			t.Errorf("%q is %v a patch, or does not apply one", line, ok)
		}
	}
}
