// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
"use strict";
module.exports = validate0;
module.exports.default = validate0;
const schema0 = {"required":["path","query","headers"],"properties":{"path":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"query":{"type":"object","additionalProperties":false,"required":[],"properties":{"limit":{"integer":{"minimum":"1","maximum":"100"}},"status":{"type":"string","enum":["available","pending","sold"]},"cursor":{"type":"string","wellFormed":true,"minLength":1,"maxLength":100}}},"headers":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}};
const obj0 = BigInt("1");
const obj1 = BigInt("100");
const func0 = require("ajv/dist/runtime/ucs2length").default;

function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.path === undefined) && (missing0 = "path")) || ((data.query === undefined) && (missing0 = "query"))) || ((data.headers === undefined) && (missing0 = "headers"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.path !== undefined){
let data0 = data.path;
const _errs0 = errors;
if(errors === _errs0){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
for(const key0 in data0){
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs0 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data1 = data.query;
const _errs3 = errors;
if(errors === _errs3){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
const _errs5 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "status")) || (key1 === "cursor"))){
validate0.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs5 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs6 = errors;
if(!(typeof data2 === "bigint" && data2 >= obj0 && data2 <= obj1)){
validate0.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/integer",keyword:"integer",params:{}}];
return false;
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.status !== undefined){
let data3 = data1.status;
const _errs7 = errors;
if(typeof data3 !== "string"){
validate0.errors = [{instancePath:instancePath+"/query/status",schemaPath:"#/properties/query/properties/status/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((data3 === "available") || (data3 === "pending")) || (data3 === "sold"))){
validate0.errors = [{instancePath:instancePath+"/query/status",schemaPath:"#/properties/query/properties/status/enum",keyword:"enum",params:{allowedValues: schema0.properties.query.properties.status.enum}}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data4 = data1.cursor;
const _errs9 = errors;
if(errors === _errs9){
if(typeof data4 === "string"){
if(!(data4.isWellFormed())){
validate0.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/wellFormed",keyword:"wellFormed",params:{}}];
return false;
}
else {
if(func0(data4) > 100){
validate0.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 100}}];
return false;
}
else {
if(func0(data4) < 1){
validate0.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/query/cursor",schemaPath:"#/properties/query/properties/cursor/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data5 = data.headers;
const _errs11 = errors;
if(errors === _errs11){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
for(const key2 in data5){
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
validate0.errors = vErrors;
return errors === 0;
}
