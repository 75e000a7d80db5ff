// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
// @ts-nocheck

const validate: import("../../http/operation-contract.ts").OperationContract['validate'] = validate20;
const schema31 = {"type":"object","required":["path","query","headers"],"properties":{"path":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"query":{"type":"object","additionalProperties":false,"required":[],"properties":{"limit":{"type":"integer","format":"int32","minimum":1,"maximum":100,"default":20},"status":{"type":"string","enum":["available","pending","sold"],"examples":["available"]},"cursor":{"type":"string","minLength":1,"maxLength":100}}},"headers":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}};
import func1Module from "ajv/dist/runtime/ucs2length.js";const func1 = func1Module.default;

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.path === undefined) && (missing0 = "path")) || ((data.query === undefined) && (missing0 = "query"))) || ((data.headers === undefined) && (missing0 = "headers"))){
validate20.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.path !== undefined){
let data0 = data.path;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
for(const key0 in data0){
validate20.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data1 = data.query;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
if(data1.limit === undefined){
data1.limit = 20;
}
const _errs6 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "status")) || (key1 === "cursor"))){
validate20.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate20.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 100 || isNaN(data2)){
validate20.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate20.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs7 === errors;
if(valid1){
if(data1.status !== undefined){
let data3 = data1.status;
const _errs9 = errors;
if(typeof data3 !== "string"){
validate20.errors = [{instancePath:instancePath+"/query/status",schemaPath:"#/properties/query/properties/status/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((data3 === "available") || (data3 === "pending")) || (data3 === "sold"))){
validate20.errors = [{instancePath:instancePath+"/query/status",schemaPath:"#/properties/query/properties/status/enum",keyword:"enum",params:{allowedValues: schema31.properties.query.properties.status.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data4 = data1.cursor;
const _errs11 = errors;
if(errors === _errs11){
if(typeof data4 === "string"){
if(func1(data4) > 100){
validate20.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 100}}];
return false;
}
else {
if(func1(data4) < 1){
validate20.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data5 = data.headers;
const _errs13 = errors;
if(errors === _errs13){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
for(const key2 in data5){
validate20.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate20.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":{"path":true,"query":true,"headers":true},"dynamicProps":false,"dynamicItems":false};

export const listPets = {
  ...({
  "operationId": "listPets",
  "method": "GET",
  "takesBody": false,
  "parameters": {
    "path": {},
    "query": {
      "limit": "integer",
      "status": "text",
      "cursor": "text"
    },
    "headers": {}
  },
  "defaults": {
    "query": {
      "limit": 20
    }
  },
  "fields": {
    "query": [
      "limit",
      "status",
      "cursor"
    ],
    "body": []
  },
  "rules": {
    "/query/limit": "an integer from 1 to 100",
    "/query/status": "one of available, pending, sold",
    "/query/cursor": "a string of 1 to 100 characters"
  },
  "deprecation": null
} as const),
  validate,
}
