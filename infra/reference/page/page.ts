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
      for (const example of document.querySelectorAll('.example-key')) example.textContent = apiKey
      if (status !== null) status.textContent = `This page now uses the demo key of the ${plan} plan.`
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
    // The guide has the fields of each schema.
    defaultModelsExpandDepth: -1,
    onComplete: () => {
      offerDemonstrationKeys(explorer)
      addEventListener('hashchange', showLinkedOperation)
    },
  })
  /** Swagger UI reads the address only when it starts. */
  const showLinkedOperation = (): void => {
    if (location.hash.startsWith('#/')) explorer.layoutActions.parseDeepLinkHash(location.hash)
  }
}

/** Marks the link to the part of the page that is below the header. */
const markCurrentPart = (): void => {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        document.querySelector(`nav a[href="#${target.id}"]`)?.setAttribute('aria-current', String(isIntersecting))
      }
    },
    // The line at 15 % of the window's height.
    { rootMargin: '-15% 0px -85%' },
  )
  for (const part of document.querySelectorAll('.content > section')) observer.observe(part)
}

markCurrentPart()
offerCopies()
const place = document.getElementById('explorer')
if (place !== null) {
  start(place).catch((error: unknown) => {
    console.error(error)
    place.textContent = 'The operations could not be loaded. Reload the page to retry.'
  })
}
