package patch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A patch that was written for a subfolder is converted to paths from the workspace, and its lines
// stay.
func TestPatchesForAFolder(t *testing.T) {
	t.Parallel()
	const text = "*** Begin Patch\n*** Add File: a\n+*** Delete File: x\n*** Delete File: ./b\n*** update file:c\n*** Move to: ../d\n@@\n *** Move to: x\n-*** Delete File: x\n+*** Add File: x\n*** Update File: /abs\n-x\n*** End Patch\n"
	const want = "*** Begin Patch\n*** Add File: s/t/a\n+*** Delete File: x\n*** Delete File: s/t/b\n*** Update File: s/t/c\n*** Move to: s/d\n@@\n *** Move to: x\n-*** Delete File: x\n+*** Add File: x\n*** Update File: /abs\n-x\n*** End Patch\n"
	if diff := cmp.Diff(want, Below("s/t", text)); diff != "" {
		t.Error(diff)
	}
	if Below("", text) != text {
		t.Error("changed for the workspace itself")
	}
}
