package migrate

// protect makes refusals of the hazards that lose data, for a database in which
// nobody may allow them.
func (p *planning) protect() error {
	if !p.options.Protect {
		return nil
	}
	for i := range p.plan.Hazards {
		h := &p.plan.Hazards[i]
		if h.Kind == HazardDrop || h.Kind == HazardLossy {
			h.Kind, h.Allow = HazardBlocked, ""
			h.Help = "the target is protected (protect = true): no --allow lets it happen there"
		}
	}
	return nil
}
