package shown
