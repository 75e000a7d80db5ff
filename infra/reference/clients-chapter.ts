import {
  adaptToPackage,
  apiKeyPlaceholder,
  type ClientFile,
  type ClientLanguage,
  clientsGuidePath,
  getClientPath,
  readClientFile,
  splitAtApiKey,
} from './client-files.ts'
import { renderCodeTabs } from './code-tabs.ts'
import { type Html, html, renderCode } from './html.ts'
import { markExampleKey } from './operation-code.ts'
import { type ClientPackage, getPackagePath } from './packages/client-package.ts'
import type { SiteOptions } from './site-options.ts'

/** Stands for the URL of this site. The page's script inserts it. */
const siteUrlPlaceholder = '<URL of the API reference>'

const installers: Readonly<Record<ClientLanguage, string>> = {
  TypeScript: 'npm install',
  Python: 'pip install',
}

const examples: Readonly<Record<ClientLanguage, string>> = {
  TypeScript: 'example.ts',
  Python: 'example.py',
}

/** Explains how to install a client, and shows its example. */
export const explainClients = (
  options: SiteOptions,
  clients: readonly ClientFile[],
  packages: readonly ClientPackage[],
): Html => html`
  <p>A client follows pages, retries, creates once and keeps integers exact. Install it from this page:</p>
  ${packages.map(renderInstallation)}
  <p>If pip refuses to install in the Python of your system, make an environment first:</p>
  ${renderCode('command for an environment', 'python3 -m venv pets && . pets/bin/activate')}
  <p>List, go through all pages, and add an animal:</p>
  ${renderCodeTabs(
    'a client',
    Object.fromEntries(
      packages.map(({ language }) => [language, renderExample(language, examples[language], options)]),
    ),
  )}
  <p>The <a href="/${clientsGuidePath}">guide to the clients</a> explains their settings, errors and limits.</p>
  <details><summary>Files to copy instead of a package</summary>
    <ul>${clients.map((file) => html`<li><a href="/${getClientPath(file)}" download>${file.name}</a></li>`)}</ul>
  </details>`

const renderInstallation = (clientPackage: ClientPackage): Html => {
  const { language, name } = clientPackage
  const path = getPackagePath(clientPackage)
  const command = html`${installers[language]} <span class="site-url">${siteUrlPlaceholder}</span>/${path}`
  return html`<p>${language}: <a href="/${path}" download>${name}</a></p>
    ${renderCode(`command for ${language}`, command)}`
}

/** Renders an example for callers who have installed the package. */
export const renderExample = (language: ClientLanguage, name: string, options: SiteOptions): Html => {
  const file = readClientFile(language, name, options)
  const example = { ...file, text: adaptToPackage(file.text).trimEnd() }
  const [demoKey] = options.demoKeys ?? []
  if (demoKey === undefined) return html`${readKeyFromEnvironment(example)}`

  const [beforeKey, afterKey] = splitAtApiKey(example)
  return html`${beforeKey}${markExampleKey(demoKey.apiKey)}${afterKey}`
}

/** Makes an example read the API key from the variable that all code of the page reads. */
const readKeyFromEnvironment = ({ language, text }: ClientFile): string => {
  if (language === 'TypeScript') return text.replace(`'${apiKeyPlaceholder}'`, 'process.env.PET_API_KEY')
  return text
    .replace(`"${apiKeyPlaceholder}"`, 'os.environ["PET_API_KEY"]')
    .replace('from pet_adoption', 'import os\n\nfrom pet_adoption')
}
