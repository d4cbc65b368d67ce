hold "h" {} # ERROR not-yet "\"hold\""
registry "r" {} # ERROR not-yet "\"registry\""
