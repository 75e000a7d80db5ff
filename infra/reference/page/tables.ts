const roles: Readonly<Record<string, string>> = {
  table: 'table',
  'thead, tbody': 'rowgroup',
  tr: 'row',
  'thead th': 'columnheader',
  'tbody th': 'rowheader',
  td: 'cell',
}

/** Sets the roles of tables. Some browsers do not treat a table as one if its cells stand below each other. */
export const keepTableRoles = (): void => {
  for (const [selector, role] of Object.entries(roles)) {
    for (const element of document.querySelectorAll(selector)) element.setAttribute('role', role)
  }
}
