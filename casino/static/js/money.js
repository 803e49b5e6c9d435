// Cents as people read them, on every page.

/** `$1,234.50`, `−$7.50` */
export function dollars(amount) {
  const size = Math.abs(amount);
  const whole = String(Math.floor(size / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${amount < 0 ? "\u2212" : ""}$${whole}.${String(size % 100).padStart(2, "0")}`;
}
