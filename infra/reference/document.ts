import type { Contract } from '../contract/contract.ts'
import { buildGuide } from './guide.ts'
import { capitalize, type Html, html } from './html.ts'
import { renderOperation } from './operation-section.ts'
import type { SiteFile, SiteOptions } from './site-options.ts'

/**
 * The document at the root of the site. It is also the response to unknown paths, so its links begin at the root.
 *
 * @param clients the files that it offers to download
 */
export const renderDocument = (contract: Contract, options: SiteOptions, clients: readonly SiteFile[]): string => {
  const { title, summary = '', version } = contract.document.info
  const chapters = buildGuide(contract, options)
  return html`<!doctype html>
<html lang="en-GB">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${summary}">
  <meta name="color-scheme" content="light dark">
  <title>${title} reference</title>
  <link rel="icon" type="image/svg+xml" href="/favicon.svg">
  <link rel="stylesheet" href="/page.css">
  <script defer src="/page.js"></script>
</head>
<body data-base-url="${options.baseUrl}">
  <a class="skip" href="#operations">Skip to the operations</a>
  <header class="top">
    <a class="brand" href="#top"><img src="/favicon.svg" alt="" width="32" height="32"> ${title}</a>
    ${environmentNote(options)}
  </header>
  <div class="columns">
    <nav aria-label="On this page">
      <ul>${chapters.map((chapter) => html`<li><a href="#${chapter.id}">${chapter.title}</a></li>`)}
        <li><a href="#operations">Operations</a></li>${contract.operations.map(
          ({ operationId, method, path }) => html`
        <li class="within"><a href="#${operationId}"><b>${method}</b> ${path}</a></li>`,
        )}
      </ul>
    </nav>
    <main>
      <div class="hero" id="top">
        <h1>${title}</h1>
        <p class="summary">${summary}</p>
        <dl class="facts">
          <div><dt>Base URL</dt><dd><code>${options.baseUrl}</code></dd></div>
          <div><dt>Version</dt><dd>${version}</dd></div>
          <div><dt>Contract</dt><dd><a href="/openapi.json">openapi.json</a></dd></div>
          <div><dt>Clients</dt>${[...Map.groupBy(clients, languageOf)].map(clientLinks)}</div>
        </dl>
      </div>${chapters.map(
        (chapter) => html`
      <section id="${chapter.id}" aria-labelledby="${chapter.id}-title">
        <h2 id="${chapter.id}-title">${chapter.title}</h2>
        ${chapter.content}
      </section>`,
      )}
      <section id="operations" aria-labelledby="operations-title" tabindex="-1">
        <h2 id="operations-title">Operations</h2>
        <div class="field key">
          <label for="api-key">Your API key, for all panels below</label>
          <input id="api-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="api-key-hint" disabled>
          <p class="hint" id="api-key-hint">It stays in the memory of this page until you reload or leave.</p>
        </div>
        <noscript><p class="mark">The panels need JavaScript. Everything else on this page works without it.</p></noscript>
      </section>
      ${contract.operations.map(renderOperation)}
    </main>
  </div>
</body>
</html>
`.markup
}

const environmentNote = ({ environment }: SiteOptions): Html | undefined =>
  environment === 'production'
    ? undefined
    : html`<span class="environment">${capitalize(environment)} environment</span>`

/** `clients/typescript/example.ts` is TypeScript. */
const languageOf = ({ path }: SiteFile): string => (path.includes('/python/') ? 'Python' : 'TypeScript')

const clientLinks = ([language, files]: [string, readonly SiteFile[]]): Html =>
  html`<dd>${language}: ${files.map(
    ({ path }, index) =>
      html`${index === 0 ? '' : ', '}<a href="/${path}" download>${path.slice(path.lastIndexOf('/') + 1)}</a>`,
  )}</dd>`
