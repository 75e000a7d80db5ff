const roles: Readonly<Record<string, string>> = {
  table: 'table',
  'thead, tbody': 'rowgroup',
  tr: 'row',
  'thead th': 'columnheader',
  'tbody th': 'rowheader',
  td: 'cell',
}

/** Sets the roles of tables, because some browsers take a table whose cells stand below each other for none. */
export const keepTableRoles = (): void => {
  for (const [selector, role] of Object.entries(roles)) {
    for (const element of document.querySelectorAll(selector)) element.setAttribute('role', role)
  }
}
