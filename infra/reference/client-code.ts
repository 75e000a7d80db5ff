import {
  adaptToPackage,
  apiKeyPlaceholder,
  type ClientFile,
  type ClientLanguage,
  getClientPath,
  readClientFile,
  splitAtApiKey,
} from './client-files.ts'
import { type Html, html, renderCode } from './html.ts'
import { markExampleKey, renderCodeChoice } from './operation-code.ts'
import { type ClientPackage, getPackagePath } from './packages/client-package.ts'
import type { SiteOptions } from './site-options.ts'

/** Stands for the URL of this site. The page's script inserts it. */
const siteUrlPlaceholder = '<URL of the API reference>'

const installers: Readonly<Record<ClientLanguage, string>> = {
  TypeScript: 'npm install',
  Python: 'pip install',
}

/** Renders the command that installs each package. */
export const renderInstallations = (packages: readonly ClientPackage[]): Html =>
  html`${packages.map((clientPackage) => {
    const { language, name } = clientPackage
    const path = getPackagePath(clientPackage)
    const command = html`${installers[language]} <span class="site-url">${siteUrlPlaceholder}</span>/${path}`
    return html`<p>${language}: <a href="/${path}" download>${name}</a></p>
    ${renderCode(`command for ${language}`, command)}`
  })}`

export const renderClientFiles = (clients: readonly ClientFile[]): Html => html`
  <details><summary>Files to copy instead of a package</summary>
    <ul>${clients.map((file) => html`<li><a href="/${getClientPath(file)}" download>${file.name}</a></li>`)}</ul>
  </details>`

/** Renders an example in both languages, for callers who have installed the package. */
export const renderExamples = (
  subject: string,
  { TypeScript, Python }: Readonly<Record<ClientLanguage, string>>,
  options: SiteOptions,
): Html =>
  renderCodeChoice(subject, {
    TypeScript: renderExample('TypeScript', TypeScript, options),
    Python: renderExample('Python', Python, options),
  })

const renderExample = (language: ClientLanguage, name: string, options: SiteOptions): Html => {
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
