import { type Html, html, prose } from '../html.ts'
import type { SiteOptions } from '../site-options.ts'

/** Code to copy; the page's script adds a button. */
export const code = (text: Html | string): Html =>
  html`<div class="copied"><pre class="code"><code>${text}</code></pre></div>`

/** The API key in an example. The page's script replaces it with the demo key that the reader chooses. */
export const exampleKey = ({ demoKeys }: SiteOptions): Html =>
  html`<span class="example-key">${demoKeys?.[0]?.apiKey ?? '<API_KEY>'}</span>`

/** A table. On a narrow screen the cells of a row stand below each other, but for those of `plans`. */
export const table = (id: string, columns: readonly string[], rows: readonly Html[]): Html => html`
  <table id="${id}">
    <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
    <tbody>${rows}</tbody>
  </table>`

/** Names and what they mean, such as headers. */
export const definitions = (entries: readonly (readonly [name: string, description: string])[]): Html =>
  html`<dl>${entries.map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${prose(text)}</dd>`)}</dl>`

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `100000` becomes `100,000`. */
export const grouped = (count: number): string => count.toLocaleString('en-GB')

/** A UTC date, `2030-12-05`, becomes `5 December 2030`. */
export const longDate = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
