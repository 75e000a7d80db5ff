import { dialogPlugin } from './dialog.ts'
import { exactBodiesPlugin } from './exact-bodies.ts'
import { framePlugin } from './frame.ts'
import { namesPlugin } from './names.ts'
import { operationsPlugin } from './operations.ts'
import { responsesPlugin } from './responses.ts'
import { readSpecification } from './specification.ts'
import type { Explorer } from './swagger-ui.ts'

const offerDemonstrationKeys = (explorer: Explorer): void => {
  const status = document.getElementById('key-in-use')
  for (const button of document.querySelectorAll<HTMLButtonElement>('.use-key')) {
    const { scheme = '', apiKey = '', plan = '' } = button.dataset
    button.disabled = false
    button.addEventListener('click', () => {
      explorer.preauthorizeApiKey(scheme, apiKey)
      if (status !== null) status.textContent = `This page now sends the demo key of the ${plan} plan.`
    })
  }
}

const offerCopies = (): void => {
  for (const block of document.querySelectorAll<HTMLElement>('pre.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const isCopied = await navigator.clipboard.writeText(block.textContent ?? '').then(
        () => true,
        () => false,
      )
      button.textContent = isCopied ? 'Copied' : 'Not allowed'
    })
    block.after(button)
  }
}

const start = async (domNode: HTMLElement): Promise<void> => {
  const explorer = SwaggerUIBundle({
    domNode,
    spec: await readSpecification('/openapi.json'),
    layout: 'BaseLayout',
    plugins: [framePlugin, operationsPlugin, responsesPlugin, exactBodiesPlugin, namesPlugin, dialogPlugin],
    validatorUrl: null,
    deepLinking: true,
    tryItOutEnabled: true,
    // A key is a secret, so it is not stored.
    persistAuthorization: false,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    onComplete: () => offerDemonstrationKeys(explorer),
  })
}

/** Chromium scrolls to the target of a link within the page, but does not move the focus. */
const moveFocusOnSkip = (): void => {
  document.querySelector('.skip')?.addEventListener('click', () => document.getElementById('explorer-title')?.focus())
}

moveFocusOnSkip()
offerCopies()
const place = document.getElementById('explorer')
if (place !== null) {
  start(place).catch((error: unknown) => {
    console.error(error)
    place.textContent = 'The operations could not be loaded. Reload the page to retry.'
  })
}
