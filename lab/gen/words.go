package gen

// The words of a log. Tables have 8 or 16 entries, so that a few random bits pick one;
// what is common stands several times.
var (
	levels = [16]string{
		"INFO  ", "INFO  ", "INFO  ", "INFO  ", "INFO  ", "INFO  ", "INFO  ", "INFO  ", "INFO  ",
		"DEBUG ", "DEBUG ", "DEBUG ", "DEBUG ", "WARN  ", "WARN  ", "ERROR ",
	}
	services = [8]string{"api-", "api-", "api-", "worker-", "worker-", "billing-", "auth-", "search-"}
	methods  = [8]string{"GET ", "GET ", "GET ", "GET ", "POST ", "POST ", "PUT ", "DELETE "}
	paths    = [16]string{
		"/api/v2/orders/", "/api/v2/orders/", "/api/v2/customers/", "/api/v2/invoices/",
		"/api/v2/products/", "/api/v2/products/", "/api/v2/carts/", "/static/js/app.js?v=",
		"/static/img/", "/search?q=red+shoes&page=", "/health?n=", "/login?next=/account/",
		"/api/v1/legacy/export/", "/webhooks/payment/", "/api/v2/sessions/", "/download/report-",
	}
	statuses = [16]string{
		" 200 ", " 200 ", " 200 ", " 200 ", " 200 ", " 200 ", " 200 ", " 200 ", " 200 ",
		" 201 ", " 204 ", " 304 ", " 304 ", " 404 ", " 403 ", " 503 ",
	}
	events = [8]string{
		"order.created", "order.paid", "order.shipped", "cart.updated", "user.login",
		"user.logout", "invoice.sent", "refund.requested",
	}
	firstNames = [16]string{
		"Anna", "José", "Zoë", "Jürgen", "Søren", "Łukasz", "Иван", "美咲",
		"John", "Mary", "Ahmed", "Chloé", "Ingrid", "Nguyễn", "Priya", "Olu",
	}
	lastNames = [16]string{
		"Smith", "Müller", "García", "Nowak", "Sørensen", "Петров", "佐藤", "O'Brien",
		"Lee", "Şahin", "Dubois", "Rossi", "van Dijk", "Tran", "Patel", "Adeyemi",
	}
	tags   = [8]string{"new", "returning", "gift", "express", "fragile", "b2b", "eu", "trial"}
	tables = [8]string{"orders", "orders", "customers", "invoices", "products", "carts", "sessions", "audit"}
)
