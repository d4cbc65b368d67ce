package dsl

import (
	"io/fs"
	"path"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Bounds of a project as a whole, an order of magnitude above what people write:
// a thousand tables with five operations each have 800 kilobytes.
const (
	maxSource = 16 << 20 // bytes of all files
	maxBlocks = 20000    // at the top of all files
	maxInner  = 2000     // in one block; PostgreSQL has 1600 columns in a table
)

// sizes is what is left of a project's bounds.
type sizes struct {
	bytes, blocks int
	reported      bool
}

// admits reports whether a file may be read: it is a regular one, and the files
// before it have left room. A named pipe would be waited for without end.
func (p *project) admits(name string) (regular, fits bool) {
	info, err := fs.Stat(p.fsys, path.Join(p.dir, name))
	if err != nil || !info.Mode().IsRegular() {
		return false, true
	}
	p.left.bytes -= int(min(info.Size(), maxSource+1))
	if p.left.bytes < 0 {
		p.tooMuch(hcl.Range{Filename: p.displayName(name), Start: hcl.InitialPos, End: hcl.InitialPos},
			"The files of the project have more than "+strconv.Itoa(maxSource>>20)+" megabytes.")
		return true, false
	}
	return true, true
}

// take keeps the blocks of a body, unless there are too many.
func (p *project) take(body *hclsyntax.Body) {
	for _, block := range body.Blocks {
		if p.left.blocks--; p.left.blocks < 0 {
			p.tooMuch(block.DefRange(), "The project has more than "+strconv.Itoa(maxBlocks)+" blocks at the top of its files.")
			return
		}
		if wide := tooWide(block); wide != nil {
			p.report(tooLarge(wide.DefRange(), "A block holds at most "+strconv.Itoa(maxInner)+" others.", "split it"))
			p.incomplete = true
			continue
		}
		p.folder.blocks = append(p.folder.blocks, block)
	}
}

// tooMuch reports once that the project is too large.
func (p *project) tooMuch(at hcl.Range, detail string) {
	if !p.left.reported {
		p.report(tooLarge(at, detail, "split it into projects: pawl { project = … } lets several share a database"))
	}
	p.left.reported = true
	p.incomplete = true
}

// tooWide finds a block that holds too many others.
func tooWide(block *hclsyntax.Block) *hclsyntax.Block {
	if len(block.Body.Blocks) > maxInner {
		return block
	}
	for _, inner := range block.Body.Blocks {
		if wide := tooWide(inner); wide != nil {
			return wide
		}
	}
	return nil
}
