project = "seats" # ERROR unknown-attribute "outside of any block.*pawl \\{ project"
colour  = "red" # ERROR unknown-attribute "outside of any block.*pawl, generate"
