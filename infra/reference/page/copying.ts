/** Adds a button to each block of code that says what it copies. */
export const addCopyButtons = (): void => {
  for (const block of document.querySelectorAll<HTMLElement>('.copyable')) addCopyButton(block)
}

const addCopyButton = (block: HTMLElement): void => {
  const name = block.dataset['name'] ?? 'code'
  const label = document.createElement('span')
  label.textContent = 'Copy'
  const unseenName = document.createElement('span')
  unseenName.className = 'unseen'
  unseenName.textContent = ` the ${name}`

  const button = document.createElement('button')
  button.type = 'button'
  button.append(label, unseenName)
  button.addEventListener('click', async () => {
    label.textContent = await copyText(block.querySelector('pre')?.textContent ?? '')
    announce(`${label.textContent}: the ${name}`)
  })
  button.addEventListener('blur', () => {
    label.textContent = 'Copy'
  })
  block.append(button)
}

const copyText = async (text: string): Promise<'Copied' | 'Not allowed'> => {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    return 'Not allowed'
  }
}

/** Lets screen readers say a message. */
export const announce = (message: string): void => {
  document.getElementById('announcement')?.replaceChildren(message)
}
