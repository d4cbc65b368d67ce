pawl { project = "seats" }
pawl { project = "rooms" } # ERROR duplicate-block "two pawl blocks; one is the most"
