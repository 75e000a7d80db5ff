import { type Html, html, prose } from '../html.ts'

/** Code to copy; the page's script adds a button. */
export const code = (text: string): Html =>
  html`<div class="block"><pre class="code" tabindex="0"><code>${text}</code></pre></div>`

/** A table that scrolls when it is wider than the screen. */
export const table = (id: string, label: string, columns: readonly string[], rows: readonly Html[]): Html => html`
  <div class="scrolled" tabindex="0" role="group" aria-label="${label}">
    <table id="${id}">
      <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`

/** Names and what they mean, such as headers. */
export const definitions = (entries: readonly (readonly [name: string, description: string])[]): Html =>
  html`<dl>${entries.map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${prose(text)}</dd>`)}</dl>`

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `100000` becomes `100,000`. */
export const grouped = (count: number): string => count.toLocaleString('en-GB')

/** A UTC date, `2030-12-05`, becomes `5 December 2030`. */
export const longDate = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
